namespace Poolhouse.Servers.Internal;

/// <summary>The time limits of the creations of a server set. Thread safe.</summary>
internal sealed class CreationTimes(ServerSetOptions options, PoolClock clock)
{
    // How long the thread pool may take to run a timer before a blocked caller does it.
    private static readonly TimeSpan _timerTimeout = TimeSpan.FromMilliseconds(50);

    // A timer cannot wait any longer.
    private static readonly TimeSpan _maxTimeout = TimeSpan.FromMilliseconds(uint.MaxValue - 1);

    public CancellationTokenSource? NewAttemptTimeout() =>
        options.AttemptTimeout == Timeout.InfiniteTimeSpan
            ? null
            : new TimeLimit(options.AttemptTimeout, options.TimeProvider);

    /// <summary>
    /// The deadline of a creation, null if there is none, when that is, and when nine tenths of the timeout are over.
    /// </summary>
    public (CancellationTokenSource? Deadline, long OverAt, long NearlyOverAt) NewDeadline(TimeSpan timeout)
    {
        if (timeout == Timeout.InfiniteTimeSpan)
        {
            return (null, PoolClock.Never, PoolClock.Never);
        }

        ArgumentOutOfRangeException.ThrowIfLessThan(timeout, TimeSpan.FromMilliseconds(1));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(timeout, _maxTimeout);
        var deadline = new TimeLimit(timeout, options.TimeProvider);
        var now = clock.Now;
        return (deadline, PoolClock.Add(now, clock.Ticks(timeout)), PoolClock.Add(now, clock.Ticks(timeout * 0.9)));
    }

    public long Now => clock.Now;

    private bool UsesSystemClock => ReferenceEquals(options.TimeProvider, TimeProvider.System);

    /// <summary>When an attempt that started at the given time times out.</summary>
    public long AttemptEndOf(long startedAt) => PoolClock.Add(startedAt, clock.Ticks(options.AttemptTimeout));

    /// <summary>
    /// How long a thread may block before it does what the timer for the given time has not done; infinite if the clock is not
    /// the system's, because only a timer can tell then.
    /// </summary>
    public TimeSpan Until(long time)
    {
        if (time == PoolClock.Never || !UsesSystemClock)
        {
            return Timeout.InfiniteTimeSpan;
        }

        // At most a day, because Task.Wait does not accept every duration.
        var left = clock.Span(Math.Max(0, time - clock.Now)) + _timerTimeout;
        return left.Ticks < TimeSpan.TicksPerDay ? left : TimeSpan.FromDays(1);
    }

    /// <summary>Whether a time has passed; false if the clock is not the system's, because only a timer can tell then.</summary>
    public bool IsOver(long time) => UsesSystemClock && Now >= time;

    public bool WasLongEnough(long startedAt) => clock.Now - startedAt >= clock.Ticks(options.AttemptTimeout);

    public TimeoutException TookTooLong(Exception? failure) => new(
        $"A server did not create an item within AttemptTimeout ({options.AttemptTimeout}), or within the remaining time of " +
        "the creation.",
        failure);
}
