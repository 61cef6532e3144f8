namespace Poolhouse.Testing;

/// <summary>One rent that is being recorded. Made by <see cref="HistoryRecorder.Call"/>; used by one flow at a time.</summary>
public sealed class HistoryTicket
{
    private readonly HistoryRecorder _recorder;
    private readonly long _called;
    private long? _queued;
    private long _rented;
    private long? _ending;
    private object? _item;

    internal HistoryTicket(HistoryRecorder recorder)
    {
        _recorder = recorder;
        _called = recorder.NextStamp();
    }

    /// <summary>Call it when the rent did not complete at once: the caller stands in the queue.</summary>
    public void Queued() => _queued = _recorder.NextStamp();

    /// <summary>Call it as soon as the lease is there. A rent that fails is simply left alone: nothing is recorded.</summary>
    /// <param name="item">The item.</param>
    public void Rented(object item)
    {
        _item = item;
        _rented = _recorder.NextStamp();
    }

    /// <summary>Call it just before the lease is disposed or discarded.</summary>
    public void Ending() => _ending = _recorder.NextStamp();

    /// <summary>Call it just before the lease is detached: the item lives on, but no longer in the pool.</summary>
    public void Detaching()
    {
        Ending();
        _recorder.Destroying(_item!);
    }

    internal HistoryRent? ToRent() => _item is null ? null : new HistoryRent(_item, _called, _rented, _queued, _ending);
}
