using Poolhouse.Kernel.Threading;

namespace Poolhouse.Kernel.Time;

/// <summary>Looks after the pool at the earliest time that anybody asked for: deadlines, retries, trimming, all with one timer.</summary>
internal sealed class DeadlineTimer : IDisposable
{
    private const int MostAttempts = 10;

    // Looking too early does no harm; a timer takes no longer time than this in any clock.
    private static readonly TimeSpan _longest = TimeSpan.FromDays(1);

    private readonly Gate _gate = new();
    private readonly PoolClock _clock;
    private readonly Func<long, long> _look;
    private readonly PoolTimer _timer;
    private readonly long _tolerance;
    private long _due = PoolClock.Never;

    /// <param name="time">The clock.</param>
    /// <param name="clock">The same in timestamps.</param>
    /// <param name="look">
    /// Gets the time, does what is due, and returns when to look again. Before it runs code that is not the pool's, which may block, it
    /// calls <see cref="ScheduleAt"/> itself: until the next look is arranged, nothing of the pool has a deadline.
    /// </param>
    /// <param name="waits">What leads to the pool while somebody waits: see <see cref="PoolTimer"/>.</param>
    public DeadlineTimer(TimeProvider time, PoolClock clock, Func<long, long> look, params object[] waits)
    {
        _clock = clock;
        _look = look;
        _tolerance = clock.Ticks(TimeSpan.FromMilliseconds(1));
        _timer = new PoolTimer(time, Tick, waits);
    }

    /// <summary>Looks no later than at this time.</summary>
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
                    // Whoever asks next must not take it for set.
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
            // Forgotten before the look, so that whoever asks meanwhile is not taken for later than a time that has passed.
            Volatile.Write(ref _due, PoolClock.Never);
        }

        ScheduleAt(_look(_clock.Now));
    }

    // Timers take a delay and not a time. If the clock moves on between the reading and the setting (a thread was held up, a test moved
    // its clock), the timer would be late by as much, for good. A clock that moves on so far each time has to be taken as it is.
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

    /// <summary>In whole milliseconds, rounded up: timers have no finer ones, and one that fires too early would have to be set again.</summary>
    private TimeSpan Delay(long time, long now)
    {
        var delay = _clock.Span(Math.Max(0, time - now));
        return delay >= _longest ? _longest : TimeSpan.FromMilliseconds(Math.Ceiling(delay.TotalMilliseconds));
    }
}
