namespace Poolhouse.Tool.Tests;

/// <summary>A clock that advances on request.</summary>
internal sealed class StepClock : TimeProvider
{
    private long _now;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp() => Interlocked.Read(ref _now);

    public void Advance(long ticks) => Interlocked.Add(ref _now, ticks);

    public void Advance(double seconds) => Advance((long)(seconds * TimeSpan.TicksPerSecond));
}
