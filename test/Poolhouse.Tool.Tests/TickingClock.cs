namespace Poolhouse.Tool.Tests;

/// <summary>A clock that advances by a step whenever it is read.</summary>
internal sealed class TickingClock(TimeSpan step) : TimeProvider
{
    private long _now;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp() => Interlocked.Add(ref _now, step.Ticks);

    public void Advance(TimeSpan time) => Interlocked.Add(ref _now, time.Ticks);
}
