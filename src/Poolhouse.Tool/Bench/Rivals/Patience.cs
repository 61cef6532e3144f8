using System.Diagnostics;

namespace Poolhouse.Tool.Bench.Rivals;

/// <summary>The remaining time of a caller.</summary>
internal readonly struct Patience(TimeSpan timeout)
{
    // A wait without a limit needs no clock.
    private readonly long _started = timeout == Timeout.InfiniteTimeSpan ? 0 : Stopwatch.GetTimestamp();

    public TimeSpan Left
    {
        get
        {
            if (timeout == Timeout.InfiniteTimeSpan)
            {
                return timeout;
            }

            var left = timeout - Stopwatch.GetElapsedTime(_started);
            return left > TimeSpan.Zero ? left : TimeSpan.Zero;
        }
    }
}
