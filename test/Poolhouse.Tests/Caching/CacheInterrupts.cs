using System.Diagnostics.Metrics;
using System.Runtime.CompilerServices;
using Poolhouse.Caching;
using Poolhouse.Caching.Threads;
using Poolhouse.Kernel.Threading;

namespace Poolhouse.Tests.Caching;

/// <summary>
/// Thread.Interrupt never ends a section of a cache halfway: it stays pending until the thread waits elsewhere.
/// </summary>
public sealed class CacheInterrupts
{
    [Fact]
    public void A_thread_interrupted_while_it_waits_for_a_gate_enters_it()
    {
        var gate = new Gate();
        var entered = false;
        Interruptible caller;
        using (gate.Enter())
        {
            caller = Interruptible.Start(() =>
            {
                using (gate.Enter())
                {
                    entered = true;
                }
            });
            caller.AwaitBlocked();
            caller.Interrupt();
            caller.Interrupt();
        }

        caller.Join();
        Assert.True(entered);
        Assert.Null(caller.Failure);
        Assert.True(caller.WasStillPending);
    }

    [Fact]
    public void An_interrupted_snapshot_leaves_no_store_locked()
    {
        var tiers = NewTiers(16);
        var (first, second) = (tiers.AddStore(1, 4), tiers.AddStore(1, 4));
        second.Freeze();
        var reader = Interruptible.Start(() => tiers.GetSnapshot());
        reader.AwaitBlocked();
        reader.Interrupt();
        second.Unfreeze();
        reader.Join();

        Assert.Null(reader.Failure);
        Assert.True(Background.CanDo(() => tiers.PushSlow(first, first.Own(), new object())), "The first lane is frozen.");
        Assert.True(Background.CanDo(() => tiers.PushSlow(second, second.Own(), new object())), "The second lane is frozen.");
        Assert.True(Background.CanDo(() => tiers.GetSnapshot()), "The snapshots have stopped.");
    }

    [Fact]
    public void A_sweep_interrupted_while_it_waits_for_a_busy_thread_releases_all_capacity()
    {
        var budget = new RetentionBudget(32);
        var lane = new TieredStore(budget, 1);
        Threads.Run(2, _ => Keep(lane, 3));
        Assert.NotEqual(32, budget.Free);
        var busy = Array.FindLast(lane.Table, stack => stack is not null)!;
        Busy(busy) = 1;
        var sweeper = Interruptible.Start(() => lane.TrimAll(close: false, removed: null));
        for (var i = 0; i < 20; i++)
        {
            // Repeatedly, because its sleeps are short: one of the interrupts coincides with one of them.
            sweeper.AwaitBlocked();
            sweeper.Interrupt();
            sweeper.AwaitUnblocked();
        }

        Volatile.Write(ref Busy(busy), 0);
        sweeper.Join();

        Assert.Null(sweeper.Failure);
        Assert.Equal(32, budget.Free);
    }

    [Fact]
    public void An_interrupt_during_the_disposal_of_an_item_is_left_for_the_thread()
    {
        var tiers = new CacheEngine(
            new RetentionBudget(1), new ObjectPoolOptions(), static _ => throw new ThreadInterruptedException());
        var owner = Interruptible.Start(() => tiers.Destroy(new object()));
        owner.Join();

        Assert.Null(owner.Failure);
        Assert.True(owner.WasStillPending);
        Assert.Equal(1, tiers.DestroyFailures);
    }

    [Fact]
    public void A_thread_interrupted_while_it_disposes_a_pool_ends_the_reports_of_the_pool()
    {
        using var meter = new Meter("interrupts");
        var pool = new TieredObjectPool<Item>(
            static () => new Item(), options: new ObjectPoolOptions { Meter = meter, TimeProvider = new InterruptingClock() });
        pool.Return(pool.Get());
        var disposer = Interruptible.Start(pool.Dispose);
        disposer.Join();

        Assert.Null(disposer.Failure);
        Assert.True(disposer.WasStillPending);
        Assert.Empty(Gauges.Read(meter));
    }

    private static void Keep(TieredStore lane, int count)
    {
        for (var i = 0; i < count; i++)
        {
            Assert.Equal(PushResult.Kept, lane.PushToDepot(lane.Own(), new object()));
        }
    }

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_busy")]
    private static extern ref int Busy(ThreadStack stack);

    private static CacheEngine NewTiers(long max) => new(new RetentionBudget(max), new ObjectPoolOptions(), destroy: null);
}
