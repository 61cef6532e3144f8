namespace Poolhouse.Tool.Advise.Sampling;

/// <summary>A part of the time in which frequent events are counted, until there were enough.</summary>
internal sealed class Round(int most)
{
    private readonly TaskCompletionSource _full = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _events;

    /// <summary>Completes when there were enough events.</summary>
    public Task Full => _full.Task;

    /// <summary>When the session began; null before its first event.</summary>
    public DateTime? Began { get; private set; }

    /// <summary>From then to its last event.</summary>
    public TimeSpan UntilLast { get; private set; }

    public void Add(DateTime began, DateTime happened)
    {
        Began = began;
        UntilLast = happened - began > UntilLast ? happened - began : UntilLast;
        if (++_events == most)
        {
            _full.TrySetResult();
        }
    }
}
