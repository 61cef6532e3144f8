using Poolhouse.Kernel.Time;
using Poolhouse.Testing;

namespace Poolhouse.Tests.Kernel;

public sealed class DeadlineTimers
{
    [Fact]
    public void A_deadline_timer_is_on_time_although_the_clock_advances_while_it_is_set()
    {
        var time = new HastyClock();
        var clock = new PoolClock(time);
        List<long> checks = [];
        using var timer = new DeadlineTimer(time, clock, now =>
        {
            checks.Add(now);
            return PoolClock.Never;
        });
        var due = clock.Now + clock.Ticks(TimeSpan.FromSeconds(10));

        time.Haste = TimeSpan.FromSeconds(4);
        timer.ScheduleAt(due);
        time.Inner.Advance(TimeSpan.FromSeconds(5));
        Assert.Empty(checks);
        time.Inner.Advance(TimeSpan.FromSeconds(1));

        Assert.Equal([due], checks);
    }

    [Theory]
    [InlineData(1.5)]
    [InlineData(3)]
    public void A_deadline_further_away_than_the_longest_timer_is_observed(double days)
    {
        var time = new ManualTimeProvider();
        var clock = new PoolClock(time);
        var due = clock.Now + clock.Ticks(TimeSpan.FromDays(days));
        var late = PoolClock.Never;
        using var timer = new DeadlineTimer(time, clock, Check);

        timer.ScheduleAt(due);
        for (var hours = 0.0; hours < 24 * days; hours += 6)
        {
            Assert.Equal(PoolClock.Never, late);
            time.Advance(TimeSpan.FromHours(6));
        }

        Assert.Equal(0, late);

        // Like the checks of the pools: one that runs too early requests the same time again.
        long Check(long now)
        {
            late = now < due ? PoolClock.Never : now - due;
            return now < due ? due : PoolClock.Never;
        }
    }

    [Fact]
    public void A_check_for_which_there_is_not_enough_memory_is_run_again_soon()
    {
        var time = new ManualTimeProvider();
        var clock = new PoolClock(time);
        var checks = 0;
        using var timer = new DeadlineTimer(
            time, clock, _ => ++checks == 1 ? throw new InsufficientMemoryException() : PoolClock.Never);

        timer.ScheduleAt(clock.Now + clock.Ticks(TimeSpan.FromSeconds(10)));
        time.Advance(TimeSpan.FromSeconds(10));
        Assert.Equal(1, checks);
        time.Advance(TimeSpan.FromSeconds(1));

        Assert.Equal(2, checks);
    }

    /// <summary>Advances once, between a reading and the setting of the timer.</summary>
    private sealed class HastyClock : TimeProvider
    {
        public ManualTimeProvider Inner { get; } = new();

        public TimeSpan Haste { get; set; }

        public override long TimestampFrequency => Inner.TimestampFrequency;

        public override long GetTimestamp() => Inner.GetTimestamp();

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) =>
            new HastyTimer(this, Inner.CreateTimer(callback, state, dueTime, period));

        private sealed class HastyTimer(HastyClock clock, ITimer timer) : ITimer
        {
            public bool Change(TimeSpan dueTime, TimeSpan period)
            {
                var haste = clock.Haste;
                clock.Haste = TimeSpan.Zero;
                clock.Inner.Advance(haste);
                return timer.Change(dueTime, period);
            }

            public void Dispose() => timer.Dispose();

            public ValueTask DisposeAsync() => timer.DisposeAsync();
        }
    }
}
