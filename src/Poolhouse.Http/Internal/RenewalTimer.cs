using Poolhouse.Kernel.Threading;

namespace Poolhouse.Http.Internal;

/// <summary>
/// The time since a handler was created, in ticks of <see cref="TimeSpan"/>, and the timer that runs its checks.
/// </summary>
// The clock refers to the timer only weakly, so an unreferenced handler is garbage although its timer is armed. The timer carries
// no ExecutionContext of the caller.
// Locks: one, around _due and the timer; the check runs outside it.
internal sealed class RenewalTimer : IDisposable
{
    public const long Never = long.MaxValue;

    private const int MostAttempts = 10;

    // Checking too early does no harm, and every clock supports timers of this length.
    private static readonly TimeSpan _longest = TimeSpan.FromDays(1);

    private readonly Gate _gate = new();
    private readonly TimeProvider _time;
    private readonly Action<long> _check;
    private readonly long _startedAt;
#pragma warning disable CA2213 // Disposed through Interrupts.
    private readonly ITimer _timer;
#pragma warning restore CA2213
    private long _due = Never;

    /// <param name="time">The clock.</param>
    /// <param name="check">Receives the time, schedules the next check, and starts work that is due.</param>
    public RenewalTimer(TimeProvider time, Action<long> check)
    {
        (_time, _check, _startedAt) = (time, check, time.GetTimestamp());
        var flow = ExecutionContext.IsFlowSuppressed() ? default : ExecutionContext.SuppressFlow();
        try
        {
            _timer = time.CreateTimer(
                static state =>
                {
                    if (((WeakReference<RenewalTimer>)state!).TryGetTarget(out var timer))
                    {
                        timer.Tick();
                    }
                },
                new WeakReference<RenewalTimer>(this),
                Timeout.InfiniteTimeSpan,
                Timeout.InfiniteTimeSpan);
        }
        finally
        {
            flow.Dispose();
        }
    }

    public long Now => _time.GetElapsedTime(_startedAt).Ticks;

    public static long Ticks(TimeSpan duration) => duration == Timeout.InfiniteTimeSpan ? Never : duration.Ticks;

    /// <summary>Has the check run no later than the given time.</summary>
    public void ScheduleAt(long time)
    {
        using (_gate.Enter())
        {
            if (time < _due)
            {
                _due = time;
                Set(time);
            }
        }
    }

    // An interrupt must not prevent the disposal; see Set.
    public void Dispose() => Interrupts.Defer(_timer, static timer => timer.Dispose());

    private void Tick()
    {
        using (_gate.Enter())
        {
            _due = Never;
        }

        _check(Now);
    }

    // A timer takes a delay: if the clock moves on before the timer is set, as when a test advances it, the timer would be late.
    private void Set(long time)
    {
        for (var attempt = 0; attempt < MostAttempts; attempt++)
        {
            var now = Now;
            var delay = TimeSpan.FromTicks(Math.Max(0, time - now));
            var due = delay < _longest ? TimeSpan.FromMilliseconds(Math.Ceiling(delay.TotalMilliseconds)) : _longest;

            // The timers of the runtime have a lock of their own, where a thread can be interrupted: the change must not be lost.
            Interrupts.Defer((Timer: _timer, due), static change => change.Timer.Change(change.due, Timeout.InfiniteTimeSpan));
            if (Now - now <= TimeSpan.TicksPerMillisecond)
            {
                return;
            }
        }
    }
}
