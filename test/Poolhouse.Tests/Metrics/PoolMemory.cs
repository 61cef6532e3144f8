using Poolhouse.TestSupport;

namespace Poolhouse.Tests.Metrics;

/// <summary>The memory of unused pools. docs/performance.md has the figures.</summary>
public sealed class PoolMemory
{
    private const int Pools = 2_000;
    private const int Rounds = 8;

    // In a process of its own: the garbage of other tests would be part of what is measured.
    [Fact]
    public Task A_pool_takes_no_more_memory_than_documented() =>
        OwnProcess.RunAsync(typeof(PoolMemory), nameof(Measures_every_kind));

    [Fact(Explicit = true)]
    public void Measures_every_kind()
    {
        AssertAtMost(1_500, static _ => new TieredObjectPool<object>(static () => new object()));
        AssertAtMost(1_500, static _ => new TieredArrayPool<byte>());
        AssertAtMost(3_600, static _ => NewResourcePool());
        AssertAtMost(4_200, static _ =>
        {
            var pool = NewResourcePool();
            pool.Rent(TestContext.Current.CancellationToken).Dispose();
            return pool;
        });

        using var keyed = new KeyedResourcePool<int, object>(
            static _ => ResourcePolicy.Create(static _ => new ValueTask<object>(new object())),
            new KeyedResourcePoolOptions<int> { MaxSize = (Rounds * Pools) + 1, Pool = new ResourcePoolOptions { MaxSize = 1 } });
        AssertAtMost(4_600, key =>
        {
            keyed.Rent(key, TestContext.Current.CancellationToken).Dispose();
            return keyed;
        });
    }

    private static ResourcePool<object> NewResourcePool() => ResourcePool.Create(
        static _ => new ValueTask<object>(new object()), new ResourcePoolOptions { MaxSize = 1 });

    // What the process allocates for itself meanwhile only adds to a measurement: the least of some is that of the pools.
    private static void AssertAtMost(long bytes, Func<int, object> create)
    {
        var first = create(Rounds * Pools);
        var each = Enumerable.Range(0, Rounds).Min(round => Measure(number => create((round * Pools) + number)));
        TestContext.Current.TestOutputHelper!.WriteLine($"{first.GetType().Name}: {each} bytes");
        Assert.InRange(each, bytes * 8 / 10, bytes);
        GC.KeepAlive(first);
    }

    private static long Measure(Func<int, object> create)
    {
        var pools = new object[Pools];

        // The pools of the measurement before have finalizers.
        GC.Collect();
        GC.WaitForPendingFinalizers();
        var before = GC.GetTotalMemory(forceFullCollection: true);
        for (var i = 0; i < Pools; i++)
        {
            pools[i] = create(i);
        }

        var each = (GC.GetTotalMemory(forceFullCollection: true) - before) / Pools;
        GC.KeepAlive(pools);
        return each;
    }
}
