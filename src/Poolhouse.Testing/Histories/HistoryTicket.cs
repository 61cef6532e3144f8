namespace Poolhouse.Testing;

/// <summary>One rent that is being recorded. Created by <see cref="HistoryRecorder.Call"/>; used by one flow at a time.</summary>
public sealed class HistoryTicket
{
    private readonly HistoryRecorder _recorder;
    private readonly long _called;

    // Stamps begin at one; zero: there is none yet.
    private long _queued;
    private long _rented;
    private long _ending;
    private object? _item;

    internal HistoryTicket(HistoryRecorder recorder)
    {
        _recorder = recorder;
        _called = recorder.NextStamp();
    }

    /// <summary>Call it if the rent did not complete at once: the caller is queued.</summary>
    public void Queued() => _queued = _recorder.NextStamp();

    /// <summary>Call it as soon as the lease is obtained. Do not call it if the rent fails: then nothing is recorded.</summary>
    /// <param name="item">The item.</param>
    public void Rented(object item)
    {
        _rented = _recorder.NextStamp();

        // Last: the recorder may copy the rent at any moment.
        Volatile.Write(ref _item, item);
    }

    /// <summary>Call it just before the lease is disposed or discarded.</summary>
    public void Ending() => _ending = _recorder.NextStamp();

    /// <summary>Call it just before the lease is detached: the item stays alive, but no longer in the pool.</summary>
    public void Detaching()
    {
        Ending();
        _recorder.Destroying(_item!);
    }

    internal HistoryRent? ToRent() => Volatile.Read(ref _item) is { } item
        ? new HistoryRent(item, _called, _rented, StampOrNull(_queued), StampOrNull(_ending))
        : null;

    private static long? StampOrNull(long stamp) => stamp == 0 ? null : stamp;
}
