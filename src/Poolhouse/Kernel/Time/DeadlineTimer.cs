namespace Poolhouse.Kernel.Time;

/// <summary>
/// Runs a check of the pool at the earliest requested time: deadlines, retries and trimming, all with one timer.
/// </summary>
internal sealed class DeadlineTimer : IDisposable
{
    private const int MostAttempts = 10;

    // Checking too early does no harm, and every clock supports timers of this length.
    private static readonly TimeSpan _longest = TimeSpan.FromDays(1);

    // How soon a check is run again for which there was not enough memory.
    private static readonly TimeSpan _memoryRetryDelay = TimeSpan.FromMilliseconds(100);

    private readonly Gate _gate = new();
    private readonly PoolClock _clock;
    private readonly Func<long, long> _check;
    private readonly PoolTimer _timer;
    private readonly long _tolerance;
    private long _due = PoolClock.Never;

    /// <param name="time">The clock.</param>
    /// <param name="clock">The same clock in timestamps.</param>
    /// <param name="check">
    /// Receives the time, performs the actions that are due, and returns the time of the next check. Before it runs user code,
    /// which may block, it must call <see cref="ScheduleAt"/> itself: until the next check is scheduled, no deadline of the pool
    /// is observed.
    /// </param>
    /// <param name="waits">Objects that refer to the pool while callers wait; see <see cref="PoolTimer"/>.</param>
    public DeadlineTimer(TimeProvider time, PoolClock clock, Func<long, long> check, params object[] waits)
    {
        _clock = clock;
        _check = check;
        _tolerance = clock.Ticks(TimeSpan.FromMilliseconds(1));
        _timer = new PoolTimer(time, Tick, waits);
    }

    /// <summary>Whether a check is scheduled that has not begun.</summary>
    public bool IsScheduled => Volatile.Read(ref _due) != PoolClock.Never;

    /// <summary>Schedules a check no later than the given time.</summary>
    public void ScheduleAt(long time)
    {
        if (time >= Volatile.Read(ref _due))
        {
            return;
        }

        using (_gate.Enter())
        {
            if (time < _due)
            {
                Volatile.Write(ref _due, time);
                try
                {
                    Set(time);
                }
                catch
                {
                    // The next caller must not assume that the timer is set.
                    Volatile.Write(ref _due, PoolClock.Never);
                    throw;
                }
            }
        }
    }

    public void Dispose() => _timer.Dispose();

    private void Tick()
    {
        using (_gate.Enter())
        {
            // Reset before the check, so that a time requested meanwhile is not considered later than a time that has already
            // passed.
            Volatile.Write(ref _due, PoolClock.Never);
        }

        long next;
        try
        {
            next = _check(_clock.Now);
        }
        catch (OutOfMemoryException)
        {
            // On a thread of the timer, this would end the process. What the check has not done is still due.
            next = PoolClock.Add(_clock.Now, _clock.Ticks(_memoryRetryDelay));
        }

        ScheduleAt(next);
    }

    // Timers take a delay and not a time. If the clock moves on between reading it and setting the timer (a thread was delayed, a
    // test advanced its clock), the timer would permanently be late by that amount. A clock that moves on that far each time is
    // accepted as it is.
    private void Set(long time)
    {
        for (var attempt = 0; attempt < MostAttempts; attempt++)
        {
            var now = _clock.Now;
            _timer.Change(Delay(time, now), Timeout.InfiniteTimeSpan);
            if (_clock.Now - now <= _tolerance)
            {
                return;
            }
        }
    }

    /// <summary>
    /// The delay in whole milliseconds, rounded up: timers have no finer resolution, and one that fires too early would have to
    /// be set again.
    /// </summary>
    private TimeSpan Delay(long time, long now)
    {
        var delay = _clock.Span(Math.Max(0, time - now));
        return delay >= _longest ? _longest : TimeSpan.FromMilliseconds(Math.Ceiling(delay.TotalMilliseconds));
    }
}
