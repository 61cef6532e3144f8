namespace Poolhouse.Kernel.Time;

/// <summary>
/// Runs a check of the pool at the earliest requested time: deadlines, retries and trimming, all with one timer.
/// </summary>
/// <param name="time">The clock.</param>
/// <param name="clock">The same clock in timestamps.</param>
/// <param name="check">
/// Receives the time, performs the actions that are due, and returns the time of the next check. Before it runs user code, which
/// may block, it must call <see cref="ScheduleAt"/> itself: until the next check is scheduled, no deadline of the pool is
/// observed.
/// </param>
/// <param name="waits">Objects that refer to the pool while, and only while, callers wait for a timed event.</param>
// The clock's timer refers to this object only weakly, so an unreferenced pool is garbage although its timer is armed; the
// finalizer then disposes the timer. It carries no ExecutionContext, so the first caller's async locals are not kept alive (I26).
// A caller that awaits is kept alive by the object that will complete its wait, which is the pool: together they would be garbage
// too. So the clock's timer also refers to the pool's queues and lists (waits). Their entries refer to the pool, while an empty
// one refers to nothing: an armed timer keeps the pool alive exactly while callers wait, and nothing has to be switched (I29).
// Locks: a gate of its own around the timer; the check runs outside it.
internal sealed class DeadlineTimer(TimeProvider time, PoolClock clock, Func<long, long> check, params object[] waits)
    : IDisposable
{
    private const int MostAttempts = 10;

    // Checking too early does no harm, and every clock supports timers of this length.
    private static readonly TimeSpan _longest = TimeSpan.FromDays(1);

    // How soon a check is run again for which there was not enough memory.
    private static readonly TimeSpan _memoryRetryDelay = TimeSpan.FromMilliseconds(100);

    private readonly Gate _gate = new();
    private readonly TimeProvider _time = time;
    private readonly object[] _waits = waits;
    private readonly long _tolerance = clock.Ticks(TimeSpan.FromMilliseconds(1));
    private ITimer? _timer;
    private long _due = PoolClock.Never;
    private bool _disposed;

#pragma warning disable MA0055 // Otherwise the timer queue would keep the timer of a pool that was never disposed.
    ~DeadlineTimer() => _timer?.Dispose();
#pragma warning restore MA0055

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

    // Deferred like a change: a pool disposes of its timer in the middle of its closing, on any thread that completes it.
    public void Dispose()
    {
        Interrupts.Defer(this, static timer => timer.DisposeNow());
        GC.SuppressFinalize(this);
    }

    private void DisposeNow()
    {
        using (_gate.Enter())
        {
            _disposed = true;
            _timer?.Dispose();
        }
    }

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
            next = check(clock.Now);
        }
        catch (OutOfMemoryException)
        {
            // On a thread of the timer, this would end the process. What the check has not done is still due.
            next = PoolClock.Add(clock.Now, clock.Ticks(_memoryRetryDelay));
        }

        ScheduleAt(next);
    }

    // Timers take a delay and not a time. If the clock moves on between reading it and setting the timer (a thread was delayed, a
    // test advanced its clock), the timer would permanently be late by that amount. A clock that moves on that far each time is
    // accepted as it is.
    // The timers of the runtime have a lock of their own, where a thread can be interrupted: the change must not be lost.
    private void Set(long time)
    {
        for (var attempt = 0; attempt < MostAttempts; attempt++)
        {
            var now = clock.Now;
            Interrupts.Defer((Timer: this, Delay: Delay(time, now)), static change => change.Timer.SetNow(change.Delay));
            if (clock.Now - now <= _tolerance)
            {
                return;
            }
        }
    }

    private void SetNow(TimeSpan delay)
    {
        if (!_disposed)
        {
            _timer ??= Create();
            _timer.Change(delay, Timeout.InfiniteTimeSpan);
        }
    }

    private ITimer Create() => ExecutionContextFlow.RunSuppressed(
        this,
        static timer => timer._time.CreateTimer(
            static state => ((Target)state!).Tick(), new Target(timer), Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan));

    /// <summary>
    /// The delay in whole milliseconds, rounded up: timers have no finer resolution, and one that fires too early would have to
    /// be set again.
    /// </summary>
    private TimeSpan Delay(long time, long now)
    {
        var delay = clock.Span(Math.Max(0, time - now));
        return delay >= _longest ? _longest : TimeSpan.FromMilliseconds(Math.Ceiling(delay.TotalMilliseconds));
    }

    /// <summary>The object that the clock refers to.</summary>
    private sealed class Target(DeadlineTimer timer)
    {
        private readonly WeakReference<DeadlineTimer> _timer = new(timer);

#pragma warning disable CA1823, IDE0052 // Never read: it only keeps the objects reachable for the garbage collector.
        private readonly object[] _waits = timer._waits;
#pragma warning restore CA1823, IDE0052

        public void Tick()
        {
            if (_timer.TryGetTarget(out var living))
            {
                living.Tick();
            }
        }
    }
}
