namespace Poolhouse.Resources;

/// <summary>The pool's clock in timestamps, so that the hot path compares plain numbers.</summary>
internal sealed class PoolClock(TimeProvider time)
{
    public const long Never = long.MaxValue;

    private readonly double _ticksPerTimeSpanTick = (double)time.TimestampFrequency / TimeSpan.TicksPerSecond;

    public long Now => time.GetTimestamp();

    /// <summary>A duration in timestamps; "infinite" is <see cref="Never"/>.</summary>
    public long Ticks(TimeSpan duration) =>
        duration == Timeout.InfiniteTimeSpan ? Never : (long)(duration.Ticks * _ticksPerTimeSpanTick);

    public TimeSpan Span(long ticks) => TimeSpan.FromTicks((long)(ticks / _ticksPerTimeSpanTick));

    /// <summary>The sum, where <see cref="Never"/> stays never.</summary>
    public static long Add(long now, long ticks) => ticks > Never - now ? Never : now + ticks;
}
