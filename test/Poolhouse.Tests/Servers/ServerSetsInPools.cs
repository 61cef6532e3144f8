using Poolhouse.Servers;


namespace Poolhouse.Tests.Servers;

/// <summary>A resource pool whose policy creates its items on a server set.</summary>
public sealed class ServerSetsInPools
{
    [Fact]
    public void When_the_preferred_server_fails_the_pool_uses_the_next_and_fails_back_later()
    {
        var bench = new ServerBench();
        var (pool, work) = NewPool(bench, 4);
        var before = Rent(pool, work, 4);
        Assert.Equal([4, 0, 0], bench.Items());

        // The server dies, and its connections with it.
        bench.Down.Add("A");
        before.ForEach(lease => lease.Value.ReportFailure(new IOException()));
        before.ForEach(lease => lease.Discard());
        work.Run();
        Return(work, Rent(pool, work, 4));
        Assert.Equal([0, 4, 0], bench.Items());
        Assert.Equal(1, bench.Of("A").Failures);

        // It recovers. One creation has to discover that, and then all items fail back.
        bench.Down.Clear();
        bench.Advance(60);
        Return(work, Rent(pool, work, 4));
        Assert.Equal([1, 3, 0], bench.Items());
        bench.Advance(59);
        Return(work, Rent(pool, work, 4));
        Assert.Equal([1, 3, 0], bench.Items());
        bench.Advance(1);
        Return(work, Rent(pool, work, 4));
        Assert.Equal([4, 0, 0], bench.Items());
        Assert.Equal(4, pool.GetStatistics().Live);
        Assert.Equal(4, pool.GetStatistics().DestroyedFor(DestroyReason.Expired));
    }

    [Fact]
    public void While_the_preferred_server_is_down_each_recheck_replaces_at_most_one_item()
    {
        var bench = new ServerBench { Down = { "A" } };
        var (pool, work) = NewPool(bench, 4);
        Return(work, Rent(pool, work, 4));

        for (var second = 0; second < 600; second++)
        {
            bench.Advance(1);
            Return(work, Rent(pool, work, 4));
        }

        // After 60 seconds, when items are old enough, and then after 20, 40, 80, and 120 three times.
        Assert.Equal(7, pool.GetStatistics().DestroyedFor(DestroyReason.Expired));
        Assert.Equal([0, 4, 0], bench.Items());
    }

    [Theory]
    [InlineData(ServerSelection.RoundRobin)]
    [InlineData(ServerSelection.LeastOutstanding)]
    public void Items_are_spread_evenly(ServerSelection selection)
    {
        for (var size = 1; size <= 20; size++)
        {
            var bench = new ServerBench(selection);
            var (pool, work) = NewPool(bench, size);
            Rent(pool, work, size);

            Assert.Equal(size, bench.Items().Sum());
            Assert.InRange(bench.Items().Max() - bench.Items().Min(), 0, 1);
        }
    }

    [Fact]
    public void Fewest_items_stays_even_while_items_are_created_and_destroyed()
    {
        var bench = new ServerBench(ServerSelection.LeastOutstanding);
        var (pool, work) = NewPool(bench, 9);
        var random = new Random(7);
        for (var i = 0; i < 50; i++)
        {
            var leases = Rent(pool, work, 9);
            leases.ForEach(lease => EndRandomly(lease, discard: random.Next(3) == 0));
            work.Run();
            var all = Rent(pool, work, 9);

            Assert.Equal([3, 3, 3], bench.Items());
            Return(work, all);
        }
    }

    [Fact]
    public void All_items_are_counted_out_when_the_pool_closes()
    {
        var bench = new ServerBench(ServerSelection.RoundRobin);
        var (pool, work) = NewPool(bench, 5);
        var leases = Rent(pool, work, 5);
        Return(work, leases[..3]);
        pool.Dispose();
        work.Run();
        Assert.Equal(2, bench.Items().Sum());

        Return(work, leases[3..]);
        Assert.Equal(0, bench.Items().Sum());
    }

    [Fact]
    public async Task A_creation_abandoned_by_the_pool_counts_against_its_server_and_the_next_uses_another()
    {
        var bench = new ServerBench(servers: "AB", change: options => options.AttemptTimeout = Timeout.InfiniteTimeSpan);
        var gate = new Gate<Part>();
        var (pool, work) =
            NewPool(bench, 1, (server, token) => server is "A" ? gate.WaitAsync(token) : new ValueTask<Part>(new Part(1)));
        var waiting = pool.RentAsync().AsTask();
        work.Run();
        Assert.Equal(1, gate.Waiting);

        bench.Advance(15);
        work.Run();
        bench.Advance(0.1);
        work.Run();

        Assert.Equal("B", (await waiting).Value.Server);
        Assert.Equal((ServerHealth.Avoided, 0), (bench.Of("A").Health, bench.Of("A").Creating));

        // The pool destroys the late item, and then it is no longer counted.
        gate.Release(new Part(2));
        work.Run();
        Assert.Equal([0, 1], bench.Items());
        Assert.Equal(1, pool.GetStatistics().DestroyedFor(DestroyReason.CreatedTooLate));
    }

    private static void EndRandomly(Lease<ServerItem<string, Part>> lease, bool discard)
    {
        if (discard)
        {
            lease.Discard();
        }
        else
        {
            lease.Dispose();
        }
    }

    [Theory]
    [InlineData(true, ServerHealth.Avoided)]
    [InlineData(false, ServerHealth.Up)]
    public void A_timeout_of_the_pool_counts_against_the_server_and_its_disposal_does_not(bool passes, ServerHealth health)
    {
        var bench = new ServerBench(servers: "A");
        var hanging = new Gate<Part>();
        var (pool, work) = NewPool(bench, 1, (_, token) => hanging.WaitAsync(token));
        _ = pool.RentAsync().AsTask();
        work.Run();

        if (passes)
        {
            bench.Advance(15);
        }

        pool.Dispose();
        work.Run();

        Assert.Equal((health, 0), (bench.Of("A").Health, bench.Of("A").Creating));
    }

    private static List<Lease<ServerItem<string, Part>>> Rent(
        ResourcePool<ServerItem<string, Part>> pool, ManualScheduler work, int count)
    {
        var request = Enumerable.Range(0, count).Select(_ => pool.RentAsync().AsTask()).ToList();
        work.Run();
        Assert.All(request, each => Assert.True(each.IsCompleted));
        return [.. request.Select(each => each.GetAwaiter().GetResult())];
    }

    private static void Return(ManualScheduler work, List<Lease<ServerItem<string, Part>>> leases)
    {
        leases.ForEach(lease => lease.Dispose());
        work.Run();
    }

    private static (ResourcePool<ServerItem<string, Part>> Pool, ManualScheduler Work) NewPool(
        ServerBench bench, int size, Func<string, CancellationToken, ValueTask<Part>>? create = null)
    {
        var work = new ManualScheduler();
        var options = new ResourcePoolOptions
        {
            MaxSize = size,
            MaxConcurrentCreates = 3,
            MaxLifetime = Timeout.InfiniteTimeSpan,
            IdleTimeout = Timeout.InfiniteTimeSpan,
            TimeProvider = bench.Clock,
            Scheduler = work,
            Random = new FixedRandom { Value = 0 },
        };
        create ??= (server, token) => new ValueTask<Part>(bench.CreatePart(server, token));
        return (new ResourcePool<ServerItem<string, Part>>(new Policy(bench.Set, create), options), work);
    }

    private sealed class Policy(ServerSet<string> servers, Func<string, CancellationToken, ValueTask<Part>> create)
        : ResourcePolicy<ServerItem<string, Part>>
    {
        public override ValueTask<ServerItem<string, Part>> CreateAsync(CancellationToken cancellationToken) =>
            servers.CreateAsync(create, TimeSpan.FromSeconds(15), cancellationToken);

        public override bool IsBroken(ServerItem<string, Part> item) => item.ShouldFailBack();

        public override bool IsExpired(ServerItem<string, Part> item) => item.ShouldFailBack();
    }
}
