namespace Poolhouse.Tests;

/// <summary>The time of another clock. Its timers never fire, as when all threads of the thread pool are blocked.</summary>
internal sealed class ClockWithoutTimers(TimeProvider clock) : TimeProvider
{
    public override long TimestampFrequency => clock.TimestampFrequency;

    public override long GetTimestamp() => clock.GetTimestamp();

    public override DateTimeOffset GetUtcNow() => clock.GetUtcNow();

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) =>
        new Silent();

    private sealed class Silent : ITimer
    {
        public bool Change(TimeSpan dueTime, TimeSpan period) => true;

        public void Dispose()
        {
        }

        public ValueTask DisposeAsync() => default;
    }
}
