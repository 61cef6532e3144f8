namespace Poolhouse.Tool.Advise.Sampling;

/// <summary>A part of the time in which events of one kind are counted, until there were enough.</summary>
internal sealed class Round(int most)
{
    private readonly TaskCompletionSource _full = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private DateTime _first = DateTime.MaxValue;
    private DateTime _last = DateTime.MinValue;

    /// <summary>Completes when there were enough events.</summary>
    public Task Full => _full.Task;

    public int Events { get; private set; }

    public void Add(DateTime happened)
    {
        happened = happened.ToUniversalTime();
        _first = happened < _first ? happened : _first;
        _last = happened > _last ? happened : _last;
        if (++Events == most)
        {
            _full.TrySetResult();
        }
    }

    /// <summary>How long events were counted.</summary>
    /// <param name="began">When the session was known to have begun, in UTC: there may be earlier events.</param>
    /// <param name="stopped">When it was asked to stop, in UTC: there may be later events.</param>
    public TimeSpan Seen(DateTime began, DateTime stopped) =>
        (_last > stopped ? _last : stopped) - (_first < began ? _first : began);
}
