using Poolhouse.Testing;
using Poolhouse.Workers;
using Xunit.Sdk;

namespace Poolhouse.Contracts.Workers;

/// <summary>Tests of the contract: each check of faults fails for a pool that does not tolerate the fault.</summary>
public sealed class SelfTests
{
    [Fact]
    public async Task A_failed_start_that_is_forgotten_is_detected() => await Assert.ThrowsAnyAsync<XunitException>(
        () => new ForgottenStarts().Threads_that_cannot_be_started_lose_no_item_and_no_capacity(typeof(OutOfMemoryException), 1));

    [Fact]
    public async Task A_timer_that_is_lost_because_the_clock_jumped_is_detected() => await Assert.ThrowsAnyAsync<XunitException>(
        () => new LostTimers().A_jump_of_the_clock_at_any_reading_loses_no_item_and_no_state(1));

    private abstract class WrongPool : WorkerPoolFaultContract<NoState>
    {
        // Only a check that would wait forever waits that long.
        protected override TimeSpan Limit => TimeSpan.FromSeconds(1);

        protected override object? KeyOf(int item) => null;

        protected override WorkerPool<NoState> Create(WorkerPoolOptions options)
        {
            Falsify(options);
            return WorkerPool.Create(options);
        }

        protected abstract void Falsify(WorkerPoolOptions options);
    }

    private sealed class ForgottenStarts : WrongPool
    {
        protected override void Falsify(WorkerPoolOptions options)
        {
            var start = options.StartThread;
            options.StartThread = (thread, worker) =>
            {
                try
                {
                    start(thread, worker);
                }
                catch (OutOfMemoryException)
                {
                }
            };
        }
    }

    /// <summary>A timer has no effect if it fires much later than expected.</summary>
    private sealed class LostTimers : WrongPool
    {
        protected override void Falsify(WorkerPoolOptions options) => options.TimeProvider = new Clock(options.TimeProvider);

        private new sealed class Clock(TimeProvider inner) : TimeProvider
        {
            public override long TimestampFrequency => inner.TimestampFrequency;

            public override long GetTimestamp() => inner.GetTimestamp();

            public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) =>
                new Timer(inner, callback, state, dueTime, period);
        }

        private sealed class Timer : ITimer
        {
            private readonly TimeProvider _clock;
            private readonly ITimer _timer;
            private long _due;

            public Timer(TimeProvider clock, TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
            {
                _clock = clock;
                _due = Due(dueTime);
                _timer = clock.CreateTimer(
                    argument =>
                    {
                        if (clock.GetTimestamp() - Volatile.Read(ref _due) < TimeSpan.TicksPerMinute * 30)
                        {
                            callback(argument);
                        }
                    },
                    state,
                    dueTime,
                    period);
            }

            public bool Change(TimeSpan dueTime, TimeSpan period)
            {
                Volatile.Write(ref _due, Due(dueTime));
                return _timer.Change(dueTime, period);
            }

            public void Dispose() => _timer.Dispose();

            public ValueTask DisposeAsync() => _timer.DisposeAsync();

            private long Due(TimeSpan dueTime) => _clock.GetTimestamp() + dueTime.Ticks;
        }
    }
}
