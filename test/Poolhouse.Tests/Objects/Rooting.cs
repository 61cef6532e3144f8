using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;
using Poolhouse.Testing;

namespace Poolhouse.Tests.Objects;

[Collection(nameof(Alone))]
public sealed class Rooting
{
    [Fact]
    public void A_dropped_pool_and_its_items_are_collected_while_its_threads_live()
    {
        var (pool, item) = UseAndDrop(new ManualTimeProvider());
        Collect();

        Assert.False(pool.IsAlive);
        Assert.False(item.IsAlive);
    }

    [Fact]
    public void A_dropped_pool_whose_items_refer_to_it_is_collected()
    {
        var pool = UseSelfReferringItems();
        Collect();

        Assert.False(pool.IsAlive);
    }

    [Fact]
    public void The_timer_of_a_dropped_pool_stops()
    {
        var clock = new ManualTimeProvider();
        UseAndDrop(clock);
        Collect();

        Assert.Equal(0, clock.ArmedTimers);
    }

    [Fact]
    public void Items_of_an_ended_thread_serve_other_threads_and_can_be_trimmed()
    {
        var pool = new TieredObjectPool<Item>(() => new Item(), null, StatisticsAssert.Retaining(10));
        var item = FillOnThreadThatEnds(pool);
        Assert.Equal(1, pool.Trim());
        Collect();

        Assert.False(item.IsAlive);
        GC.KeepAlive(pool);
    }

    [Fact]
    public void A_rented_item_that_is_never_returned_is_collected()
    {
        var pool = new TieredObjectPool<Item>(() => new Item());
        var (plain, leased) = RentAndForget(pool);
        Collect();

        Assert.False(plain.IsAlive);
        Assert.False(leased.IsAlive);
        GC.KeepAlive(pool);
    }

    [Fact]
    public void A_collectible_load_context_unloads_after_its_types_were_pooled()
    {
        var context = PoolInCollectibleContext();
        for (var attempt = 0; attempt < 10 && context.IsAlive; attempt++)
        {
            Collect();
        }

        Assert.False(context.IsAlive);
    }

    [Fact]
    public void Creating_and_dropping_ten_thousand_pools_does_not_grow_memory()
    {
        // The first ten thousand let the weak tables grow to their size.
        MakeAndDropPools(10_000);
        Collect();
        var before = GC.GetTotalMemory(forceFullCollection: true);
        MakeAndDropPools(10_000);
        Collect();
        var after = GC.GetTotalMemory(forceFullCollection: true);

        // Ten thousand leaked pools would be tens of megabytes.
        Assert.InRange(after - before, long.MinValue, 500_000);
    }

    [Fact]
    public void The_first_callers_async_locals_are_not_kept_alive()
    {
        var pool = new TieredObjectPool<Item>(() => new Item());
        var state = ReturnUnderAsyncLocal(pool);
        Collect();

        Assert.False(state.IsAlive);
        GC.KeepAlive(pool);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static (WeakReference Pool, WeakReference Item) UseAndDrop(ManualTimeProvider clock)
    {
        var pool = new TieredObjectPool<Item>(() => new Item(), null, new ObjectPoolOptions { TimeProvider = clock });
        var item = pool.Get();
        pool.Return(item);
        pool.Rent().Dispose();
        Assert.Equal(1, clock.ArmedTimers);
        GC.KeepAlive(pool);
        return (new WeakReference(pool), new WeakReference(item));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference UseSelfReferringItems()
    {
        TieredObjectPool<object[]>? pool = null;
        pool = new TieredObjectPool<object[]>(() => [pool!]);
        var (first, second) = (pool.Get(), pool.Get());
        pool.Return(first);
        pool.Return(second);
        return new WeakReference(pool);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference FillOnThreadThatEnds(TieredObjectPool<Item> pool)
    {
        WeakReference? item = null;
        Threads.RunAlone(() =>
        {
            var rented = pool.Get();
            item = new WeakReference(rented);
            pool.Return(rented);
        });
        return item!;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static (WeakReference Plain, WeakReference Leased) RentAndForget(TieredObjectPool<Item> pool)
    {
        pool.Prefill(4);
        return (new WeakReference(pool.Get()), new WeakReference(pool.Rent().Value));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference PoolInCollectibleContext()
    {
        var context = new AssemblyLoadContext("collectible", isCollectible: true);
        var assembly = context.LoadFromAssemblyPath(typeof(Poolhouse.Testing.ManualTimeProvider).Assembly.Location);
        var type = assembly.GetType("Poolhouse.Testing.ManualTimeProvider", throwOnError: true)!;
        typeof(Rooting).GetMethod(nameof(PoolOne), BindingFlags.NonPublic | BindingFlags.Static)!
            .MakeGenericMethod(type).Invoke(null, [type]);
        context.Unload();
        return new WeakReference(context);
    }

    private static void PoolOne<T>(Type type)
        where T : class
    {
        var pool = new TieredObjectPool<T>(() => (T)Activator.CreateInstance(type, [null])!);
        pool.Return(pool.Get());
        pool.Rent().Dispose();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void MakeAndDropPools(int count)
    {
        for (var i = 0; i < count; i++)
        {
            var pool = new TieredObjectPool<Item>(() => new Item());
            pool.Return(pool.Get());
            pool.Rent().Dispose();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference ReturnUnderAsyncLocal(TieredObjectPool<Item> pool)
    {
        var local = new AsyncLocal<object> { Value = new object() };
        var state = new WeakReference(local.Value);
        pool.Return(pool.Get());
        local.Value = null!;
        return state;
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
