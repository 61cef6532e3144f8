namespace Poolhouse.Explorer.Scenarios;

/// <summary>
/// A clock that advances to the next timer when no actor can continue. It needs no locks, because no actor is ever inside it.
/// </summary>
internal sealed class ExplorerClock : TimeProvider
{
    private readonly List<ExplorerTimer> _timers = [];

    public long Now { get; set; }

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp() => Now;

    public override DateTimeOffset GetUtcNow() => new(2000, 1, 1, 0, 0, 0, TimeSpan.Zero);

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        var timer = new ExplorerTimer(this, () => callback(state));
        timer.Change(dueTime, period);
        return timer;
    }

    /// <summary>Moves to the next timer, if it is due by the given time.</summary>
    /// <returns>The callback of the timer, or null.</returns>
    public Action? MoveToNextTimer(TimeSpan latest)
    {
        if (_timers.MinBy(timer => timer.Due) is { } next && next.Due <= latest.Ticks)
        {
            Now = Math.Max(Now, next.Due);
            _timers.Remove(next);
            return next.Fire;
        }

        return null;
    }

    private sealed class ExplorerTimer(ExplorerClock clock, Action fire) : ITimer
    {
        public long Due { get; private set; }

        public Action Fire => fire;

        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            clock._timers.Remove(this);
            if (dueTime != Timeout.InfiniteTimeSpan)
            {
                Due = clock.Now + dueTime.Ticks;
                clock._timers.Add(this);
            }

            return true;
        }

        public void Dispose() => clock._timers.Remove(this);

        public ValueTask DisposeAsync()
        {
            Dispose();
            return default;
        }
    }
}
