using System.Collections.Concurrent;
using Microsoft.Extensions.ObjectPool;
using Poolhouse.Tool.Bench.Measuring;
using Poolhouse.Tool.Bench.Objects.Operations;

namespace Poolhouse.Tool.Bench.Objects;

/// <summary>The rivals for small objects, each with the operation that an experiment wants.</summary>
internal static class ItemContenders
{
    public static IReadOnlyList<Contender> Pairs(int maxRetained) =>
    [
        new Contender<Pair<NewItems>>(RivalNames.NoPool, _ => new(_ => new(default))),
        new Contender<Pair<DefaultItems>>(
            RivalNames.DefaultPool, _ => SetUp(DefaultPool(maxRetained), pool => new Pair<DefaultItems>(new(pool)))),
        new Contender<Pair<PoolhouseItems>>(
            RivalNames.Poolhouse, _ => SetUp(PoolhousePool(maxRetained), pool => new Pair<PoolhouseItems>(new(pool)))),
        new Contender<Pair<BagItems>>(RivalNames.Bag, _ => SetUp(new ConcurrentBag<Item>(), bag => new Pair<BagItems>(new(bag)))),
    ];

    public static IReadOnlyList<Contender> Drains(int maxRetained, int overflow) =>
    [
        new Contender<Drain<NewItems>>(
            RivalNames.NoPool, workers => new(_ => new(default, Share(maxRetained + overflow, workers)))),
        new Contender<Drain<DefaultItems>>(
            RivalNames.DefaultPool,
            workers => SetUp(
                DefaultPool(maxRetained), pool => new Drain<DefaultItems>(new(pool), Share(maxRetained + overflow, workers)))),
        new Contender<Drain<PoolhouseItems>>(
            RivalNames.Poolhouse,
            workers => SetUp(
                PoolhousePool(maxRetained),
                pool => new Drain<PoolhouseItems>(new(pool), Share(maxRetained + overflow, workers)))),
    ];

    public static IReadOnlyList<Contender> ShortRentals(int maxRetained, int overflow) =>
    [
        new Contender<ShortRentals<NewItems>>(
            RivalNames.NoPool, workers => new(_ => new(default, Share(maxRetained + overflow, workers)))),
        new Contender<ShortRentals<DefaultItems>>(
            RivalNames.DefaultPool,
            workers => SetUp(
                DefaultPool(maxRetained),
                pool => new ShortRentals<DefaultItems>(new(pool), Share(maxRetained + overflow, workers)))),
        new Contender<ShortRentals<PoolhouseItems>>(
            RivalNames.Poolhouse,
            workers => SetUp(
                PoolhousePool(maxRetained),
                pool => new ShortRentals<PoolhouseItems>(new(pool), Share(maxRetained + overflow, workers)))),
    ];

    /// <summary>What each worker rents so that together they rent all; at least one each, because a loop over nothing measures
    /// nothing.</summary>
    internal static int Share(int total, int workers) => Math.Max(1, (total + workers - 1) / workers);

    private static PoolSetup<TOperation> SetUp<TPool, TOperation>(TPool pool, Func<TPool, TOperation> make)
        where TOperation : struct, IOperation => new(_ => make(pool), pool as IDisposable);

    private static DefaultObjectPool<Item> DefaultPool(int maxRetained) =>
        new(new DefaultPooledObjectPolicy<Item>(), maxRetained);

    private static TieredObjectPool<Item> PoolhousePool(int maxRetained) =>
        new(new DefaultPooledObjectPolicy<Item>(), new ObjectPoolOptions { MaxRetained = maxRetained });
}
