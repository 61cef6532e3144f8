using Poolhouse.Workers;

namespace Poolhouse.Tests.Resources;

/// <summary>Statistics that a person reads, and those that exceptions carry.</summary>
public sealed class StatisticsText
{
    [Fact]
    public void Statistics_without_activity_say_so() => Assert.Equal("No activity.", new ResourcePoolStatistics().ToString());

    [Fact]
    public void Each_group_with_a_figure_that_is_not_zero_is_one_line()
    {
        var statistics = new ResourcePoolStatistics
        {
            Rented = 12,
            Hits = 10,
            Waits = 2,
            MaxSize = 4,
            Idle = 1,
            WaitTime = TimeSpan.FromMilliseconds(1_500),
            Outage = new PoolOutage(default, default, new InvalidOperationException("down"), default),
        };

        Assert.Equal(
            ["Rents: Rented 12, Hits 10, Waits 2", "Items: MaxSize 4, Idle 1", "Callers: WaitTime 1.5 s", "State: InOutage"],
            statistics.ToString().Split('\n'));
    }

    [Fact]
    public void Statistics_of_other_pools_have_groups_of_their_own()
    {
        Assert.Equal(
            "Rents: Rented 1, Misses 1\nItems: Leased 1",
            new CachePoolStatistics { Rented = 1, Misses = 1, Leased = 1 }.ToString());
        Assert.Equal(
            "Items: Rented 2, Failed 1\nWorkers: MaxWorkers 3",
            new WorkerPoolStatistics { Rented = 2, Failed = 1, MaxWorkers = 3 }.ToString());
        Assert.Equal(
            "Uses: MaxLeased 6\nItems: MaxSize 2",
            new SharedResourcePoolStatistics { MaxLeased = 6, Items = new ResourcePoolStatistics { MaxSize = 2 } }.ToString());
    }

    [Fact]
    public void Statistics_of_a_disposed_pool_of_any_kind_say_that_it_is_closed()
    {
        var one = new ResourcePoolOptions { MaxSize = 1 };
        var parts = new ScriptedPolicy();
        IPool[] pools =
        [
            new ResourcePool<Part>(parts, one),
            new KeyedResourcePool<string, Part>(_ => parts, new KeyedResourcePoolOptions<string> { MaxSize = 1, Pool = one }),
            new SharedResourcePool<Part>(parts, new SharedResourcePoolOptions { Pool = one }),
            WorkerPool.Create(new WorkerPoolOptions { MaxWorkers = 1 }),
            new TieredObjectPool<Part>(() => new Part(0)),
            new TieredArrayPool<byte>(),
            new TieredMemoryPool<byte>(),
            new StreamPool(),
        ];
        Assert.All(pools, pool => Assert.False(pool.GetStatistics().Closed, pool.Name));

        foreach (var pool in pools)
        {
            ((IDisposable)pool).Dispose();
        }

        Assert.All(pools, pool => Assert.True(pool.GetStatistics().Closed, pool.Name));
        Assert.All(pools, pool => Assert.EndsWith("Pool: Closed", pool.GetStatistics().ToString(), StringComparison.Ordinal));
    }

    [Fact]
    public void Statistics_are_not_compared_by_value() =>
        Assert.NotEqual(new ResourcePoolStatistics(), new ResourcePoolStatistics());

    [Fact]
    public void The_oldest_wait_is_that_of_the_first_caller_in_the_queue()
    {
        var bench = new Workbench();
        using var lease = bench.Rent();
        Assert.Equal(TimeSpan.Zero, bench.Now.OldestWait);

        _ = bench.RequestAsync();
        bench.Advance(3);
        _ = bench.RequestAsync();
        bench.Advance(2);

        Assert.Equal((2, Workbench.Seconds(5)), (bench.Now.Waiting, bench.Now.OldestWait));
    }

    [Fact]
    public async Task An_exception_carries_the_statistics_of_the_pool_that_the_caller_knows()
    {
        var bench = new Workbench();
        using var lease = bench.Rent();
        var timeout = await Assert.ThrowsAsync<PoolTimeoutException>(() => bench.RequestAsync(TimeSpan.Zero));
        using var shared = new SharedBench(maxSize: 1, maxUses: 1);
        using var use = await shared.RentAsync();
        var full = await Assert.ThrowsAsync<PoolTimeoutException>(() => shared.Pool.RentAsync(TimeSpan.Zero).AsTask());

        Assert.Equal(1, Assert.IsType<ResourcePoolStatistics>(timeout.Statistics).Leased);
        Assert.Equal((1, 1), (full.Statistics.Leased, Assert.IsType<SharedResourcePoolStatistics>(full.Statistics).MaxLeased));
        IPoolException failure = full;
        Assert.Equal(("clients", TimeSpan.Zero, null), (failure.PoolName, failure.Elapsed, failure.RetryAfter));
    }

    [Fact]
    public async Task An_unavailable_pool_says_when_to_retry()
    {
        var bench = new Workbench();
        bench.Options.OutageTimeout = TimeSpan.Zero;
        bench.Options.RetryDelay = Workbench.Seconds(1);
        bench.Policy.Creates = _ => throw new InvalidOperationException("down");
        await Refused.WithAsync<InvalidOperationException>(() => bench.RequestAsync());
        IPoolException refused = await Assert.ThrowsAsync<PoolUnavailableException>(() => bench.RequestAsync());

        Assert.InRange(refused.RetryAfter!.Value, TimeSpan.Zero, Workbench.Seconds(1));
        Assert.Equal(1, Assert.IsType<ResourcePoolStatistics>(refused.Statistics).CreateFailures);
    }
}
