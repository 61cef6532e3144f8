using Poolhouse.Resources.Engine;
using Poolhouse.Resources.Engine.Items;
using Poolhouse.Resources.Engine.Waiting;

namespace Poolhouse.Tests.Resources.Engine;

/// <summary>
/// With the system's clock, the time of a rent or return may be ahead of the exact one, or behind it, by a tick of the coarse
/// clock (1 to 16 ms). The tests pass such times to the core.
/// </summary>
public sealed class CoarseTimes
{
    [Theory]
    [InlineData(0, WaitOutcome.Served)]
    [InlineData(15, WaitOutcome.Served)]
    [InlineData(1_000, WaitOutcome.TimedOut)]
    internal void A_return_that_seems_to_be_late_by_a_tick_serves_the_caller(int millisecondsLate, WaitOutcome outcome)
    {
        using var pool = NewPool();
        var (core, clock) = (pool.Runtime.Core, pool.Runtime.Clock);
        foreach (var isHandOver in new[] { false, true })
        {
            using var warm = pool.Rent();
            var entry = TakeBack(warm);
            var now = clock.Now;
            var waiter = new ManualWaiter { Deadline = now + clock.Ticks(TimeSpan.FromMinutes(1)) };
            Assert.Equal(WaitOutcome.None, core.Enter(waiter, stale: null, now));

            var returnedAt = waiter.Deadline + clock.Ticks(TimeSpan.FromMilliseconds(millisecondsLate));
            if (!isHandOver || !core.TryServeHead(entry, returnedAt))
            {
                core.Offer(entry, returnedAt);
            }

            Assert.Equal(outcome, waiter.Outcome);
            if (outcome == WaitOutcome.Served)
            {
                core.Offer(entry, returnedAt);
            }
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_wait_that_seems_to_end_before_it_began_took_no_time(bool isHandOver)
    {
        using var pool = NewPool();
        var (core, clock) = (pool.Runtime.Core, pool.Runtime.Clock);
        pool.Rent().Dispose();
        var before = pool.GetStatistics().WaitTime;
        var entry = TakeBack(pool.Rent());
        var now = clock.Now;
        var waiter = new ManualWaiter();
        Assert.Equal(WaitOutcome.None, core.Enter(waiter, stale: null, now));

        var returnedAt = now - clock.Ticks(TimeSpan.FromMilliseconds(15));
        if (isHandOver)
        {
            Assert.True(core.TryServeHead(entry, returnedAt));
        }
        else
        {
            core.Offer(entry, returnedAt);
        }

        Assert.Equal(WaitOutcome.Served, waiter.Outcome);
        Assert.Equal(before, pool.GetStatistics().WaitTime);
    }

    [Fact]
    public void An_item_that_seems_to_be_rented_before_it_was_created_was_not_idle()
    {
        using var pool = NewPool();
        using var lease = pool.Rent();
        var entry = (ResourceEntry<Part>)lease.Slot!;
        entry.BeginUse(entry.IdleSince - pool.Runtime.Clock.Ticks(TimeSpan.FromMilliseconds(15)));

        Assert.Equal(TimeSpan.Zero, lease.Info.IdleTime);
    }

    private static ResourcePool<Part> NewPool() =>
        new(new ScriptedPolicy(), new ResourcePoolOptions { MaxSize = 1, Scheduler = new InlineScheduler() });

    /// <summary>Ends a lease whose entry the test returns itself.</summary>
    private static ResourceEntry<Part> TakeBack(Lease<Part> lease)
    {
        var entry = (ResourceEntry<Part>)lease.Slot!;
        Assert.True(entry.TryEnd(entry.Version));
        return entry;
    }
}
