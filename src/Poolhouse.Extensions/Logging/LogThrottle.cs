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

    private readonly Lock _lock = new();
    private ITimer? _timer;
    private long _quietUntil = long.MinValue;
    private long _suppressed;
    private bool _disposed;

    /// <summary>Whether this entry is to be written.</summary>
    public bool TryPass()
    {
        lock (_lock)
        {
            var now = time.GetTimestamp();
            if (now >= _quietUntil && _suppressed == 0)
            {
                _quietUntil = now + InTicks(Window);
                return true;
            }

            _suppressed++;
            if (_suppressed == 1 && !_disposed)
            {
                _timer ??= time.CreateTimer(
                    static throttle => ((LogThrottle)throttle!).Summarize(), this, Timeout.InfiniteTimeSpan,
                    Timeout.InfiniteTimeSpan);
                _timer.Change(time.GetElapsedTime(now, Math.Max(now, _quietUntil)), Timeout.InfiniteTimeSpan);
            }

            return false;
        }
    }

    public void Dispose()
    {
        lock (_lock)
        {
            _disposed = true;
            _timer?.Dispose();
        }
    }

    private void Summarize()
    {
        long suppressed;
        lock (_lock)
        {
            suppressed = _suppressed;
            _suppressed = 0;
            _quietUntil = time.GetTimestamp() + InTicks(Window);
        }

        if (suppressed > 0)
        {
            writeSummary(suppressed);
        }
    }

    private long InTicks(TimeSpan span) => (long)(span.TotalSeconds * time.TimestampFrequency);
}
