using Poolhouse.Kernel.Time;

namespace Poolhouse.Tests.Kernel;

/// <summary>
/// Clocks with ticks of seconds, negative timestamps, odd fractions, or an advance at every reading: deadlines hold on all of
/// them.
/// </summary>
public sealed class UnusualClocks
{
    [Fact]
    public void Deadlines_hold_on_a_clock_whose_timestamps_are_negative()
    {
        var clock = new PoolClock(new Clock(TimeSpan.TicksPerSecond, start: long.MinValue / 4));
        var timeout = clock.Ticks(TimeSpan.FromSeconds(30));

        Assert.Equal(clock.Now + timeout, clock.DeadlineAfter(clock.Coarse, timeout));
        Assert.Equal(-5, PoolClock.Add(-15, 10));
        Assert.Equal(PoolClock.Never, PoolClock.Add(-15, PoolClock.Never));
        Assert.Equal(PoolClock.Never, PoolClock.Add(long.MaxValue - 5, 10));
        Assert.Equal(PoolClock.Never, PoolClock.Add(15, PoolClock.Never));
    }

    [Theory]
    [InlineData(long.MinValue / 4)]
    [InlineData(-1)]
    [InlineData(long.MaxValue / 2)]
    public async Task A_caller_gets_its_timeout_whatever_the_first_timestamp(long start)
    {
        var time = new Clock(TimeSpan.TicksPerSecond, start);
        var pool = new ResourcePool<Part>(
            new ScriptedPolicy(),
            new ResourcePoolOptions { MaxSize = 1, TimeProvider = time, Scheduler = new InlineScheduler() });
        var held = await pool.RentAsync(TestContext.Current.CancellationToken);
        var waiting = pool.RentAsync(TimeSpan.FromSeconds(1), TestContext.Current.CancellationToken).AsTask();
        time.Advance(TimeSpan.FromSeconds(0.9));
        Assert.False(waiting.IsCompleted);
        time.Advance(TimeSpan.FromSeconds(0.2));

        await Assert.ThrowsAsync<PoolTimeoutException>(() => waiting.WaitAsync(Background.Limit));
        held.Dispose();
    }

    [Theory]
    [InlineData(long.MinValue / 4)]
    [InlineData(-1)]
    [InlineData(long.MaxValue / 2)]
    public async Task A_wait_for_a_shared_item_is_neither_a_leak_nor_a_use_whatever_the_first_timestamp(long start)
    {
        var time = new Clock(TimeSpan.TicksPerSecond, start);
        var never = new TaskCompletionSource<Part>();
        var items = new ResourcePoolOptions
        {
            MaxSize = 1,
            LeakThreshold = TimeSpan.FromSeconds(1),
            TimeProvider = time,
            Scheduler = new InlineScheduler(),
        };
        var pool = new SharedResourcePool<Part>(
            new ScriptedPolicy { Creates = _ => new ValueTask<Part>(never.Task) },
            new SharedResourcePoolOptions { Pool = items, MaxUsesPerItem = 1 });
        var waiting = pool.RentAsync(TimeSpan.FromSeconds(10), TestContext.Current.CancellationToken).AsTask();
        time.Advance(TimeSpan.FromSeconds(5));

        Assert.Equal((0L, TimeSpan.Zero), (pool.GetStatistics().SuspectedLeaks, pool.GetStatistics().OldestLease));
        time.Advance(TimeSpan.FromSeconds(6));
        await Assert.ThrowsAsync<PoolTimeoutException>(() => waiting.WaitAsync(Background.Limit));
        Assert.Equal((0L, TimeSpan.Zero), (pool.GetStatistics().SuspectedLeaks, pool.GetStatistics().UseTime));
    }

    [Fact]
    public void A_duration_shorter_than_a_clock_tick_is_rounded_up_to_one_tick()
    {
        var clock = new PoolClock(new Clock(frequency: 1));

        Assert.Equal(1, clock.Ticks(TimeSpan.FromMilliseconds(950)));
        Assert.Equal(2, clock.Ticks(TimeSpan.FromMilliseconds(1_001)));
        Assert.Equal(0, clock.Ticks(TimeSpan.Zero));
        Assert.Equal(PoolClock.Never, clock.Ticks(Timeout.InfiniteTimeSpan));
        Assert.InRange(clock.Ticks(TimeSpan.MaxValue), TimeSpan.MaxValue.Ticks / TimeSpan.TicksPerSecond, PoolClock.Never);
    }

    [Fact]
    public async Task A_caller_waits_although_its_timeout_is_shorter_than_a_clock_tick()
    {
        var time = new Clock(frequency: 1);
        var pool = new ResourcePool<Part>(
            new ScriptedPolicy(),
            new ResourcePoolOptions { MaxSize = 1, TimeProvider = time, Scheduler = new InlineScheduler() });

        (await pool.RentAsync(TimeSpan.FromMilliseconds(950), TestContext.Current.CancellationToken)).Dispose();
    }

    [Fact]
    public void Durations_are_exact_when_a_clock_tick_is_an_odd_fraction_of_a_millisecond()
    {
        const long PowerManagementTimer = 3_579_545;
        var clock = new PoolClock(new Clock(PowerManagementTimer));

        Assert.InRange(clock.Ticks(TimeSpan.FromSeconds(100)), 100 * PowerManagementTimer, (100 * PowerManagementTimer) + 1);
    }

    [Fact]
    public void A_deadline_timer_works_on_a_clock_that_advances_with_every_reading()
    {
        var time = new Clock(TimeSpan.TicksPerSecond) { PerReading = TimeSpan.FromMilliseconds(2).Ticks };
        var clock = new PoolClock(time);
        var checks = 0;
        using var alarm = new DeadlineTimer(time, clock, _ =>
        {
            checks++;
            return PoolClock.Never;
        });

        alarm.ScheduleAt(clock.Now + clock.Ticks(TimeSpan.FromMinutes(10)));
        Assert.InRange(time.Readings, 1, 100);
        time.Advance(TimeSpan.FromMinutes(10));

        Assert.Equal(1, checks);
    }

    /// <summary>A clock with one timer, which fires when the clock is moved past its time.</summary>
    private sealed class Clock(long frequency, long start = 0) : TimeProvider
    {
        private readonly List<Timer> _timers = [];
        private long _now = start;

        public long PerReading { get; init; }

        public int Readings { get; private set; }

        public override long TimestampFrequency => frequency;

        public override long GetTimestamp()
        {
            Readings++;
            return _now += PerReading;
        }

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
        {
            var timer = new Timer(this, () => callback(state));
            _timers.Add(timer);
            timer.Change(dueTime, period);
            return timer;
        }

        public void Advance(TimeSpan time)
        {
            _now += (long)(time.TotalSeconds * frequency);
            foreach (var timer in _timers.FindAll(timer => timer.Due <= _now))
            {
                timer.Due = long.MaxValue;
                timer.Fire();
            }
        }

        private sealed class Timer(Clock clock, Action fire) : ITimer
        {
            public long Due { get; set; } = long.MaxValue;

            public Action Fire { get; } = fire;

            public bool Change(TimeSpan dueTime, TimeSpan period)
            {
                Due = dueTime == Timeout.InfiniteTimeSpan
                    ? long.MaxValue
                    : clock._now + (long)Math.Ceiling(dueTime.TotalSeconds * clock.TimestampFrequency);
                return true;
            }

            public void Dispose() => clock._timers.Remove(this);

            public ValueTask DisposeAsync()
            {
                Dispose();
                return default;
            }
        }
    }
}
