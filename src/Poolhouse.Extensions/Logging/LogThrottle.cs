using Poolhouse.Kernel;
using Poolhouse.Kernel.Threading;

namespace Poolhouse.Extensions.Logging;

/// <summary>
/// Lets the first of a series of equal log entries pass, counts those of the next ten seconds, and has their number written once.
/// </summary>
// Invariants
//   every entry either passes or is in a number passed to the summary, unless the throttle is disposed first
//   after an entry or a summary, nothing is written for ten seconds
// Locks: its own, for a few instructions; the log is written outside of it
internal sealed class LogThrottle(TimeProvider time, Action<long> writeSummary) : IDisposable
{
    public static readonly TimeSpan Window = TimeSpan.FromSeconds(10);

    private readonly Gate _gate = new();
    private ITimer? _timer;
    private long _quietUntil = long.MinValue;
    private long _suppressed;
    private bool _disposed;

    /// <summary>Whether this entry is to be written.</summary>
    public bool TryPass()
    {
        using (_gate.Enter())
        {
            var now = time.GetTimestamp();
            if (now >= _quietUntil && _suppressed == 0)
            {
                _quietUntil = now + InTicks(Window);
                return true;
            }

            if (_suppressed == 0 && !_disposed)
            {
                // The runtime's timers have locks of their own, where a thread can be interrupted: without a timer there would
                // never be a summary, and no entry would pass before it. So an entry is counted only once the timer is set.
                Interrupts.Defer(
                    (Throttle: this, Due: time.GetElapsedTime(now, Math.Max(now, _quietUntil))),
                    static set => set.Throttle.SetTimer(set.Due));
            }

            _suppressed++;
            return false;
        }
    }

    public void Dispose()
    {
        using (_gate.Enter())
        {
            _disposed = true;
            _timer?.Dispose();
        }
    }

    // The caller's async locals must not live as long as the pool (I26).
    private void SetTimer(TimeSpan due)
    {
        _timer ??= ExecutionContextFlow.RunSuppressed(this, static throttle => throttle.CreateTimer());
        _timer.Change(due, Timeout.InfiniteTimeSpan);
    }

    private ITimer CreateTimer() => time.CreateTimer(
        static throttle => ((LogThrottle)throttle!).Summarize(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);

    private void Summarize()
    {
        long suppressed;
        using (_gate.Enter())
        {
            suppressed = _suppressed;
            _suppressed = 0;
            _quietUntil = time.GetTimestamp() + InTicks(Window);
        }

        if (suppressed > 0)
        {
            // A logger that throws has no caller here: on the thread of a timer, its exception would end the process.
            UserCode.Notify(writeSummary, suppressed, static (writeSummary, suppressed) => writeSummary(suppressed));
        }
    }

    private long InTicks(TimeSpan span) => (long)(span.TotalSeconds * time.TimestampFrequency);
}
