using System.Runtime.CompilerServices;

namespace Poolhouse.Kernel.Time;

/// <summary>The pool's clock in timestamps, so that the hot path compares plain numbers.</summary>
// Rents and returns need the time only to within some milliseconds, and reading the exact time would dominate their cost. So with
// the system's clock they read the coarse one that the operating system maintains, which is off by at most one of its ticks (1 to
// 16 ms). Other clocks are always read exactly, and so is a system clock for which a millisecond is not a whole number of ticks.
internal sealed class PoolClock(TimeProvider time)
{
    public const long Never = long.MaxValue;

    /// <summary>Earlier than any time, but far enough from the smallest number to calculate with.</summary>
    public const long Past = long.MinValue / 2;

    // More than the maximum error of the coarse clock on any operating system.
    private static readonly TimeSpan _lag = TimeSpan.FromMilliseconds(16);

    private readonly bool _isSystem = ReferenceEquals(time, TimeProvider.System) && time.TimestampFrequency % 1000 == 0;
    private readonly double _ticksPerTimeSpanTick = (double)time.TimestampFrequency / TimeSpan.TicksPerSecond;
    private readonly long _ticksPerMillisecond = time.TimestampFrequency / 1000;
    private readonly long _ticksPerSecond = time.TimestampFrequency;
    private readonly long _lagTicks = (long)(_lag.TotalSeconds * time.TimestampFrequency);
    private long _coarseOffset = ReferenceEquals(time, TimeProvider.System) ? OffsetOf(time) : 0;

    /// <summary>By how much the coarse time may at most be ahead of the exact one, or behind it; zero if they agree.</summary>
    public long Lag => _isSystem ? _lagTicks : 0;

    /// <summary>The exact time.</summary>
    public long Now => time.GetTimestamp();

    /// <summary>The time, off by at most one tick of the coarse clock (1 to 16 ms).</summary>
    public long Coarse
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _isSystem ? (CoarseMilliseconds * _ticksPerMillisecond) + Volatile.Read(ref _coarseOffset) : Now;
    }

#pragma warning disable RS0030 // The one place where the coarse clock stands in for the system's TimeProvider.
    private static long CoarseMilliseconds => Environment.TickCount64;
#pragma warning restore RS0030

    /// <summary>Corrects the drift between the two clocks; called from time to time.</summary>
    public void Synchronize()
    {
        if (_isSystem)
        {
            Volatile.Write(ref _coarseOffset, OffsetOf(time));
        }
    }

    /// <summary>
    /// Converts a duration to timestamps, rounded up: on a clock that ticks once a second, a shorter duration does not become
    /// zero. An infinite duration is <see cref="Never"/>.
    /// </summary>
    public long Ticks(TimeSpan duration) =>
        duration == Timeout.InfiniteTimeSpan ? Never : (long)Math.Ceiling(duration.Ticks * _ticksPerTimeSpanTick);

    /// <summary>The date and time this long ago.</summary>
    public DateTimeOffset UtcBefore(long ticks) => time.GetUtcNow() - Span(ticks);

    public TimeSpan Span(long ticks) => TimeSpan.FromTicks((long)(ticks / _ticksPerTimeSpanTick));

    /// <summary>
    /// The end of a wait that starts at this coarse time: never too early. Only waits of a second or more are based on the coarse
    /// time; they end up to 32 ms late.
    /// </summary>
    public long DeadlineAfter(long coarse, long ticks) =>
        !_isSystem ? Add(coarse, ticks)
        : ticks >= _ticksPerSecond ? Add(coarse + _lagTicks, ticks)
        : Add(Now, ticks);

    /// <summary>Adds the two; <see cref="Never"/> remains never. Timestamps may be negative, durations may not.</summary>
    public static long Add(long now, long ticks) => ticks == Never || (now > 0 && ticks > Never - now) ? Never : now + ticks;

    private static long OffsetOf(TimeProvider time)
    {
        const int MaxAttempts = 100;
        var ticksPerMillisecond = time.TimestampFrequency / 1000;
        for (var attempt = 1; ; attempt++)
        {
            var (before, coarse, after) = (time.GetTimestamp(), CoarseMilliseconds, time.GetTimestamp());
            if (after - before <= ticksPerMillisecond || attempt == MaxAttempts)
            {
                return after - (coarse * ticksPerMillisecond);
            }

            // The thread was paused between the readings, and the coarse time would be off by the length of the pause.
        }
    }
}
