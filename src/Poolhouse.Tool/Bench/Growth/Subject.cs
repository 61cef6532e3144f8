using Poolhouse.Tool.Bench.Measuring;
using Poolhouse.Tool.Bench.Objects.Operations;

namespace Poolhouse.Tool.Bench.Growth;

/// <summary>A number that grows, and how a rent is measured for each value of it.</summary>
internal sealed record Subject(string Name, IReadOnlyList<int> Counts, IReadOnlyList<int> FewCounts, Func<int, Contender> At)
{
    public static IReadOnlyList<Subject> All { get; } =
    [
        new("object pools", [1, 10, 100, 1_000, 10_000], [1, 100, 1_000], OfObjectPools),
        new("resource pools", [1, 10, 100, 1_000, 10_000], [1, 100, 1_000], OfResourcePools),
        new("idle items", [1, 10, 100, 1_000, 10_000], [1, 100, 1_000], count => OfItems(idle: count, leased: 0)),
        new("leased items", [1, 10, 100, 1_000, 10_000], [1, 100, 1_000], count => OfItems(idle: 1, leased: count)),
        new("waiters", [1, 10, 100, 1_000, 10_000, 100_000], [1, 100, 1_000], OfWaiters),
        new("keys", [1, 10, 100, 1_000, 10_000, 100_000], [1, 100, 1_000], OfKeys),
    ];

    private static Contender<GetOf> OfObjectPools(int count) => new(RivalNames.Poolhouse, _ =>
    {
        TieredObjectPool<Item>[] pools =
            [.. Enumerable.Range(0, count).Select(_ => new TieredObjectPool<Item>(static () => new Item()))];
        return new PoolSetup<GetOf>(_ => new GetOf(pools), new Owned(pools));
    });

    private static Contender<RentOf> OfResourcePools(int count) => new(RivalNames.Poolhouse, workers =>
    {
        ResourcePool<Item>[] pools = [.. Enumerable.Range(0, count).Select(_ => NewPool(workers))];
        return new PoolSetup<RentOf>(_ => new RentOf(pools), new Owned(pools));
    });

    private static Contender<RentOf> OfItems(int idle, int leased) => new(RivalNames.Poolhouse, _ =>
    {
        var pool = NewPool(idle + leased);
        List<Lease<Item>> leases = [.. Enumerable.Range(0, idle + leased).Select(_ => pool.Rent(CancellationToken.None))];
        leases.GetRange(leased, idle).ForEach(lease => lease.Dispose());
        return new PoolSetup<RentOf>(_ => new RentOf([pool]), new Owned([.. leases.Take(leased), pool]));
    });

    /// <summary>A pool with an item for each thread.</summary>
    public static Contender<RentOf> OfThreads() => new(RivalNames.Poolhouse, workers =>
    {
        var pool = NewPool(workers);
        return new PoolSetup<RentOf>(_ => new RentOf([pool]), pool);
    });

    private static Contender<WaiterQueue.HandOver> OfWaiters(int count) => new(RivalNames.Poolhouse, _ =>
    {
        var queue = new WaiterQueue(NewPool(1), count);
        return new PoolSetup<WaiterQueue.HandOver>(_ => new WaiterQueue.HandOver(queue), queue);
    });

    private static Contender<RentByKey> OfKeys(int count) => new(RivalNames.Poolhouse, _ =>
    {
        var pool = new KeyedResourcePool<int, Item>(
            static _ => ResourcePolicy.Create(static _ => new ValueTask<Item>(new Item())),
            new KeyedResourcePoolOptions<int> { MaxSize = count, Pool = new ResourcePoolOptions { MaxSize = 1 } });
        for (var key = 0; key < count; key++)
        {
            pool.Rent(key, CancellationToken.None).Dispose();
        }

        return new PoolSetup<RentByKey>(_ => new RentByKey(pool, count), pool);
    });

    private static ResourcePool<Item> NewPool(int maxSize) => ResourcePool.Create<Item>(
        static _ => new ValueTask<Item>(new Item()),
        new ResourcePoolOptions { MaxSize = maxSize, MaxWaiters = int.MaxValue, IdleTimeout = Timeout.InfiniteTimeSpan });
}
