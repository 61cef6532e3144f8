using Poolhouse.Testing;

namespace Poolhouse.Tests.Resources;

/// <summary>A minimum of all items (MinIdleCountsAll) instead of idle ones, in every kind of pool.</summary>
public sealed class MinimumOfAll
{
    [Fact]
    public void Npgsql_MinPoolSize_items_in_use_count_for_the_minimum()
    {
        var bench = NewBench(minIdle: 5);
        bench.Run();
        Assert.Equal(5, bench.Now.Idle);

        var leases = bench.Rent(8);
        bench.Advance(20);

        Assert.Equal((8, 0), (bench.Now.Live, bench.Now.Idle));
        leases[0].Discard();
        bench.Advance(20);
        Assert.Equal(7, bench.Now.Live);
    }

    [Fact]
    public void Lost_items_are_replaced_up_to_the_minimum_while_the_others_are_in_use()
    {
        var bench = NewBench(minIdle: 3);
        var leases = bench.Rent(3);

        leases[0].Discard();
        bench.Run();
        Assert.Equal((2, 1), (bench.Now.Leased, bench.Now.Idle));
        leases[1].Detach();
        bench.Run();

        Assert.Equal((1, 2), (bench.Now.Leased, bench.Now.Idle));
        bench.AssertBalanced();
    }

    [Fact]
    public void Idle_items_are_destroyed_down_to_the_minimum_of_all()
    {
        var bench = NewBench(minIdle: 3);
        var leases = bench.Rent(6);
        bench.Return(leases.Skip(2));
        Assert.Equal((2, 4), (bench.Now.Leased, bench.Now.Idle));

        bench.Advance(120);
        Assert.Equal((2, 1), (bench.Now.Leased, bench.Now.Idle));
        bench.Return(leases[0], leases[1]);
        bench.Advance(120);

        Assert.Equal((0, 3), (bench.Now.Leased, bench.Now.Idle));
        Assert.Equal(3, bench.Now.DestroyedFor(DestroyReason.Idle));
    }

    [Fact]
    public void It_can_be_changed_while_the_pool_is_in_use()
    {
        var bench = NewBench(minIdle: 2);
        bench.Rent(4);
        bench.Advance(20);
        Assert.Equal(4, bench.Now.Live);

        bench.Options.MinIdleCountsAll = false;
        bench.Pool.Reconfigure(bench.Options);
        bench.Advance(20);

        Assert.Equal((4, 2), (bench.Now.Leased, bench.Now.Idle));
    }

    [Fact]
    public void In_a_keyed_pool_it_applies_to_each_key()
    {
        var clock = new ManualTimeProvider();
        var work = new ManualScheduler();
        using var pool = new KeyedResourcePool<string, Part>(_ => new ScriptedPolicy(), new KeyedResourcePoolOptions<string>
        {
            Pool = new ResourcePoolOptions
            {
                MaxSize = 20,
                MinIdle = 2,
                MinIdleCountsAll = true,
                TimeProvider = clock,
                Scheduler = work,
                MaxLifetime = Timeout.InfiniteTimeSpan,
            },
            MaxSize = 40,
        });
        var leases = Enumerable.Range(0, 3).Select(_ => Rent("busy")).ToList();
        Rent("quiet").Dispose();
        Advance(seconds: 20);
        Assert.Equal((3, 2), (pool.GetStatistics("busy")!.Live, pool.GetStatistics("quiet")!.Idle));

        leases.ForEach(lease => lease.Discard());
        Advance(seconds: 20);

        Assert.Equal((2, 2), (pool.GetStatistics("busy")!.Idle, pool.GetStatistics("quiet")!.Idle));

        Lease<Part> Rent(string key)
        {
            var request = pool.RentAsync(key).AsTask();
            work.Run();
            Assert.True(request.IsCompletedSuccessfully);
            return request.GetAwaiter().GetResult();
        }

        void Advance(int seconds)
        {
            for (var second = 0; second < seconds; second++)
            {
                clock.Advance(TimeSpan.FromSeconds(1));
                work.Run();
            }
        }
    }

    // The minimum of shared items and of parents counts those in use anyway.
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Of_shared_items_all_count_with_either_setting(bool countsAll)
    {
        using var bench = new SharedBench(maxSize: 4, maxUses: 1);
        (bench.Options.Pool.MinIdle, bench.Options.Pool.MinIdleCountsAll) = (2, countsAll);
        bench.Options.Pool.IdleTimeout = TimeSpan.FromMinutes(1);
        Background.Until(() => bench.Pool.GetUses().Count == 2);

        var leases = await bench.RentAsync(4);
        leases[1..].ForEach(lease => lease.Dispose());

        Background.AdvanceUntil(bench.Clock, () => bench.Items.Live == 2, TimeSpan.FromSeconds(15), steps: 20);
        Assert.Equal([0, 1], bench.Pool.GetUses().Order());
        Advance(bench.Clock);
        Assert.Equal(2, bench.Items.Live);
        leases[0].Dispose();
    }

    [Fact]
    public async Task In_a_nested_pool_it_applies_to_the_children()
    {
        using var bench = new NestedBench(maxParents: 2, maxPerParent: 5);
        (bench.Options.ChildPool.MinIdle, bench.Options.ChildPool.MinIdleCountsAll) = (3, true);
        (bench.Options.ParentPool.MinIdle, bench.Options.ParentPool.MinIdleCountsAll) = (1, true);
        Background.Until(() => bench.Now.Idle == 3);

        var leases = await bench.RentAsync(4);
        Advance(bench.Clock);
        Assert.Equal((4, 0), (bench.Now.Live, bench.Now.Idle));
        leases[0].Discard();
        leases[1].Discard();

        Background.AdvanceUntil(bench.Clock, () => bench.Now is { Leased: 2, Idle: 1 }, TimeSpan.FromSeconds(5), steps: 20);
        bench.AssertPermitsAreConserved();
        Assert.Equal(1, bench.ParentsNow.Live);
        leases[2].Dispose();
        leases[3].Dispose();
    }

    private static Workbench NewBench(int minIdle)
    {
        var bench = new Workbench(20);
        (bench.Options.MinIdle, bench.Options.MinIdleCountsAll) = (minIdle, true);
        bench.Options.IdleTimeout = Workbench.Seconds(60);
        return bench;
    }

    /// <summary>Lets the pool check its minimum several times.</summary>
    private static void Advance(ManualTimeProvider clock)
    {
        for (var i = 0; i < 8; i++)
        {
            clock.Advance(TimeSpan.FromSeconds(5));
            Background.LetThreadPoolRun();
        }
    }
}
