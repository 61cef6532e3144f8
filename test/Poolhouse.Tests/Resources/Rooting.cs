using System.Runtime.CompilerServices;
using Poolhouse.Testing;

namespace Poolhouse.Tests.Resources;

/// <summary>I26: what a pool keeps alive, and what keeps a pool alive.</summary>
[Collection(nameof(Alone))]
public sealed class Rooting
{
    [Fact]
    public void A_dropped_pool_is_collected_although_its_timer_was_set_and_the_timer_stops()
    {
        var clock = new ManualTimeProvider();
        var (pool, item) = UseAndDrop(clock);

        // The thread that created the item may still have both on its stack.
        Background.Until(() =>
        {
            Collect();
            return !pool.IsAlive && !item.IsAlive && clock.ArmedTimers == 0;
        });
    }

    [Fact]
    public void The_callers_async_locals_are_not_kept_alive()
    {
        var pool = new ResourcePool<Part>(
            new ScriptedPolicy(), new ResourcePoolOptions { MaxSize = 1, MinIdle = 1, TimeProvider = new ManualTimeProvider() });
        var state = RentUnderAsyncLocal(pool);
        Collect();

        Assert.False(state.IsAlive);
        GC.KeepAlive(pool);
    }

    [Fact]
    public void A_destroyed_item_is_collected_although_its_lease_is_still_referenced()
    {
        // On this thread, so that no other thread still has the item on its stack after it was created or destroyed.
        var work = new ManualScheduler();
        var pool = ResourcePool.Create(
            _ => new ValueTask<object>(new object()), new ResourcePoolOptions { MaxSize = 1, Scheduler = work });
        var lease = Rent(pool, work);
        var item = Discard(lease);
        work.Run();
        Assert.Equal(0, pool.GetStatistics().Live);
        Collect();

        Assert.False(item.IsAlive);
        Assert.False(lease.IsActive);
        GC.KeepAlive(pool);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static (WeakReference Pool, WeakReference Item) UseAndDrop(ManualTimeProvider clock)
    {
        (WeakReference, WeakReference)? dropped = null;
        Threads.RunAlone(() =>
        {
            var pool = ResourcePool.Create(
                _ => new ValueTask<object>(new object()),
                new ResourcePoolOptions { MaxSize = 2, TimeProvider = clock });
            var lease = pool.Rent();
            dropped = (new WeakReference(pool), new WeakReference(lease.Value));
            lease.Dispose();
            Assert.Equal(1, clock.ArmedTimers);
            GC.KeepAlive(pool);
        });
        return dropped!.Value;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference RentUnderAsyncLocal(ResourcePool<Part> pool)
    {
        WeakReference? state = null;
        Threads.RunAlone(() =>
        {
            var local = new AsyncLocal<object> { Value = new object() };
            state = new WeakReference(local.Value);
            pool.Rent().Dispose();
            using var held = pool.Rent();
            var waiting = pool.RentAsync().AsTask();
            held.Dispose();
            waiting.GetAwaiter().GetResult().Dispose();
            local.Value = null!;
        });
        return state!;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Lease<object> Rent(ResourcePool<object> pool, ManualScheduler work)
    {
        var renting = pool.RentAsync().AsTask();
        work.Run();
        return renting.GetAwaiter().GetResult();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference Discard(Lease<object> lease)
    {
        var item = new WeakReference(lease.Value);
        lease.Discard();
        return item;
    }

    private static void Collect()
    {
        for (var i = 0; i < 3; i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }
    }
}
