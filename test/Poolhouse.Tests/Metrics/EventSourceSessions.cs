using Poolhouse.Kernel;
using Poolhouse.Metrics;

namespace Poolhouse.Tests.Metrics;

/// <summary>What a session with the event source "Poolhouse" is told of the pools.</summary>
[Collection(nameof(Alone))]
public sealed class EventSourceSessions
{
    [Fact]
    public void A_snapshot_has_the_figures_options_and_holders_of_a_pool()
    {
        var bench = Bench("snapshot", maxSize: 3);
        bench.Options.MinIdle = 1;
        using (LeaseLabel.Use("GET /orders"))
        {
            bench.Rent(2);
        }

        bench.Advance(5);
        bench.Return(bench.Rent());
        using var session = PoolListener.Start();
        var snapshot = session.NextOf("snapshot");

        Assert.Equal(("ResourcePool", "Working"), (snapshot["kind"], snapshot["condition"]));
        Assert.Equal((3L, 1L, 3L, 1L, 2L, 3L), (
            snapshot["max"], snapshot["minIdle"], snapshot["live"], snapshot["idle"], snapshot["leased"], snapshot["rented"]));
        Assert.Equal((5_000_000L, 30_000_000L, -1L, 1), (
            snapshot["oldestLease"], snapshot["rentTimeout"], snapshot["leakThreshold"], snapshot["labels"]));
        Assert.Equal("2 GET /orders", snapshot["holders"]);
        Assert.StartsWith("5000000 1 - GET /orders\n5000000 2 ", (string)snapshot["oldestLeases"]!, StringComparison.Ordinal);
        Assert.Equal("", snapshot["useHistogram"]);
        Background.Until(() => session.Events.Any(each => Equals(each["event"], "Snapshots")));
        GC.KeepAlive(bench.Pool);
    }

    [Fact]
    public void A_snapshot_has_the_servers_of_a_pool_by_name_and_the_pool_even_if_its_policy_throws()
    {
        var bench = new ServerBench(servers: "AB") { Down = { "A" } };
        bench.Where();
        bench.Advance(3);
        Func<string, string> nameOf = name => $"db-{name}\nX";
        var pool = new ResourcePool<Part>(
            new OnServers(() => bench.Set.GetStatistics(nameOf)), new ResourcePoolOptions { MaxSize = 1, Name = "on servers" });
        using var session = PoolListener.Start();
        Assert.Equal(
            "Avoided Unknown 0 1 3000000 7000000 System.IO.IOException db-A X\nUp Unknown 0 0 0 0 - db-B X",
            session.NextOf("on servers")["servers"]);

        nameOf = _ => throw new InvalidOperationException();
        Background.Until(() => Equals("", session.NextOf("on servers")["servers"]));
        pool.Dispose();
    }

    [Fact]
    public void A_snapshot_has_the_servers_of_keys_of_shared_items_and_of_parents_each_server_once()
    {
        var bench = new ServerBench(servers: "AB") { Down = { "A" } };
        bench.Where();
        var policy = new OnServers(() => bench.Set.GetStatistics(static name => name));
        var children = NestedPolicy.Create<Part, Part>(static (_, _) => new ValueTask<Part>(new Part(2)));
        using var keyed = new KeyedResourcePool<int, Part>(_ => policy, new() { MaxSize = 2, Pool = Options("keyed") });
        using var shared = new SharedResourcePool<Part>(policy, new() { Pool = Options("shared") });
        using var nested = new NestedResourcePool<Part, Part>(
            policy, children, new() { ParentPool = Options("parents"), ChildPool = Options("nested") });
        using var keyedNested = new KeyedNestedResourcePool<int, Part, Part>(policy, _ => children, new()
        {
            ParentPool = Options("parents"),
            ChildPool = new() { MaxSize = 1, Pool = Options("keyed nested") },
        });
        keyed.Rent(1).Dispose();
        keyed.Rent(2).Dispose();
        using var session = PoolListener.Start();
        Assert.All(["keyed", "shared", "nested", "keyed nested"], name => Assert.Equal(
            "Avoided Unknown 0 1 0 10000000 System.IO.IOException A\nUp Unknown 0 0 0 0 - B", session.NextOf(name)["servers"]));

        static ResourcePoolOptions Options(string name) => new() { MaxSize = 1, Name = name };
    }

    [Fact]
    public void The_items_of_keys_with_servers_of_their_own_are_added_up()
    {
        var benches = new[] { new ServerBench(servers: "A"), new ServerBench(servers: "A") };
        using var pool = new KeyedResourcePool<int, Part>(
            key => new OnServers(() => benches[key].Set.GetStatistics(static name => name)),
            new() { MaxSize = 2, Pool = new ResourcePoolOptions { MaxSize = 1, Name = "own servers" } });
        for (var key = 0; key < benches.Length; key++)
        {
            benches[key].Create();
            pool.Rent(key).Dispose();
        }

        benches[1].Create();
        using var session = PoolListener.Start();
        Assert.Equal("Up Unknown 3 0 0 0 - A", session.NextOf("own servers")["servers"]);
        var server = Assert.Single(((IPool)pool).GetServers());
        Assert.Equal((3, 3L), (server.Items, server.Created));
    }

    [Fact]
    public void Of_many_servers_of_keys_a_snapshot_has_twenty_and_those_that_fail_are_among_them()
    {
        using var pool = new KeyedResourcePool<int, Part>(
            key => new OnServers(() => [new() { Server = $"db{key}.internal:5432", FailuresInRow = key == 99 ? 1 : 0 }]),
            new() { MaxSize = 100, Pool = new ResourcePoolOptions { MaxSize = 1, Name = "tenants" } });
        for (var key = 0; key < 100; key++)
        {
            pool.Rent(key).Dispose();
        }

        using var session = PoolListener.Start();
        var lines = ((string)session.NextOf("tenants")["servers"]!).Split('\n');
        Assert.Equal((20, "Up Unknown 0 1 0 0 - db99.internal:5432"), (lines.Length, lines[0]));
    }

    [Fact]
    public async Task The_events_in_the_life_of_a_pool_are_written_with_types_instead_of_messages()
    {
        var first = Bench("first", maxSize: 1);
        _ = first.Pool;
        using var session = PoolListener.Start();
        var bench = Bench("life", maxSize: 1);
        bench.Options.LeakThreshold = TimeSpan.FromSeconds(1);
        bench.Options.OutageTimeout = TimeSpan.FromMilliseconds(200);
        bench.Policy.Creates = _ => throw new InvalidOperationException("Password=hunter2");
        await Assert.ThrowsAsync<PoolUnavailableException>(() => WaitAsync(bench));
        bench.Policy.Creates = null;
        bench.Advance(20);
        bench.Rent();
        bench.Advance(2);
        await Assert.ThrowsAsync<PoolTimeoutException>(() => WaitAsync(bench));
        bench.Pool.Resize(2);
        await bench.Pool.DisposeAsync();

        var life = session.LifeOf("life").ToList();
        Assert.Equal("Started ResourcePool", life[0]);
        Assert.Equal("OutageBegan System.InvalidOperationException", life[1]);
        Assert.StartsWith("CreateFailed System.InvalidOperationException ", life[2], StringComparison.Ordinal);
        Assert.Contains("WaitFailed Outage 200000", life);
        Assert.Equal(
            ["OutageEnded", "LeakSuspected", "Return", "Reconfigured", "Closed"],
            from words in life.Select(each => each.Split(' '))
            where words is ["OutageEnded" or "LeakSuspected" or "Reconfigured" or "Closed", ..] or ["WaitFailed", "Return", ..]
            select words is ["WaitFailed", ..] ? words[1] : words[0]);
        Assert.Equal(1, life.Count(each => each.StartsWith("OutageBegan", StringComparison.Ordinal)));
        Assert.DoesNotContain(
            session.Events.SelectMany(each => each.Values).OfType<string>(),
            text => text.Contains("hunter2", StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_pool_in_detail_has_histograms_of_its_times_and_the_others_have_none()
    {
        var (shown, other) = (Bench("shown", maxSize: 1), Bench("other", maxSize: 1));
        shown.Fill(1);
        other.Fill(1);
        using var session = PoolListener.Start(detail: "shown");
        session.NextOf("shown");
        foreach (var bench in new[] { shown, other })
        {
            var lease = bench.Rent();
            var waiting = bench.RequestAsync();
            bench.Advance(1);
            bench.Return(lease);
            Assert.True(waiting.IsCompleted);
            bench.Return(await waiting);
        }

        // A second has 10^7 ticks, between 2^23 and 2^24. The second use took no time.
        var snapshot = session.NextOf("shown");
        Assert.Equal(("23:1", "0:1 23:1"), (snapshot["waitHistogram"], snapshot["useHistogram"]));
        Assert.Equal("", session.NextOf("other")["useHistogram"]);
    }

    [Fact]
    public void When_the_last_session_ends_nothing_is_left_of_it()
    {
        var bench = Bench("left", maxSize: 1);
        bench.Fill(1);
        using (var lasting = PoolListener.Start(interval: 3600))
        {
            using (var session = PoolListener.Start(detail: "left"))
            {
                Background.Until(() => PoolDetail.IsOn);
            }

            Assert.NotNull(IPoolEventLog.Current);
            lasting.NextOf("left");
        }

        Background.Until(() => !PoolDetail.IsOn);
        Assert.Null(IPoolEventLog.Current);
        Assert.False(PoolEventSource.Log.IsEnabled());
        GC.KeepAlive(bench.Pool);
    }

    [Fact]
    public void A_session_that_begins_keeps_its_details_when_the_one_before_ends()
    {
        var pool = Bench("kept", maxSize: 1).Pool;
        var (before, after) = (new PoolDetail(pool, next: null), new PoolDetail(pool, next: null));

        PoolDetail.Keep(before);
        PoolDetail.Keep(after);
        PoolDetail.End(before);
        Assert.Same(after, PoolDetail.Of(pool));

        PoolDetail.End(after);
        Assert.Null(PoolDetail.Of(pool));
    }

    // The figures come from one reading, under the lock of the pool.
    [Theory]
    [InlineData(1)]
    [InlineData(20, Explicit = true)]
    public async Task No_snapshot_is_torn_and_the_rents_agree_with_the_total_of_the_pool(int times)
    {
        await using var pool = ResourcePool.Create(
            _ => new ValueTask<Part>(new Part(1)), new ResourcePoolOptions { MaxSize = 2, Name = "torn", LifetimeJitter = 0 });
        using var stop = new CancellationTokenSource();
        var users = Enumerable.Range(0, 3).Select(_ => Task.Run(async () =>
        {
            while (!stop.IsCancellationRequested)
            {
                (await pool.RentAsync()).Dispose();
            }
        })).ToList();
        var rented = new List<long>();
        for (var time = 0; time < times; time++)
        {
            rented.AddRange(RentedOf(pool, readings: 5_000));
        }

        await stop.CancelAsync();
        await Task.WhenAll(users);
        rented.AddRange(RentedOf(pool, readings: 1));
        Assert.Equal(rented.Order(), rented);
        Assert.Equal(pool.GetStatistics().Rented, rented[^1]);
    }

    [Fact]
    public void A_rent_allocates_nothing_while_its_pool_is_shown_in_detail()
    {
        using var pool = ResourcePool.Create(
            _ => new ValueTask<Part>(new Part(1)), new ResourcePoolOptions { MaxSize = 1, Name = "free" });
        pool.Rent().Dispose();
        using var session = PoolListener.Start(interval: 3600, detail: "free");
        Background.Until(() => PoolDetail.Of(pool) is not null);
        pool.Rent().Dispose();
        var before = GC.GetAllocatedBytesForCurrentThread();
        for (var round = 0; round < 1_000; round++)
        {
            pool.Rent().Dispose();
        }

        Assert.Equal(0, GC.GetAllocatedBytesForCurrentThread() - before);
        Assert.Equal(1_001, PoolDetail.Of(pool)!.Uses.Sum());
    }

    private static IEnumerable<long> RentedOf(ResourcePool<Part> pool, int readings)
    {
        using var session = PoolListener.Start(interval: 3600);
        for (var reading = 0; reading < readings; reading++)
        {
            PoolEventSource.Log.Write(pool, id: 1, detail: null);
        }

        // Those of the session itself, on another thread, have another number.
        var snapshots = session.Events.Where(each => Equals(each["event"], "Pool") && Equals(each["id"], 1)).ToList();
        Assert.Equal(readings, snapshots.Count);
        Assert.All(snapshots, each =>
        {
            string[] states = ["idle", "leased", "creating", "validating", "resetting", "destroying"];
            Assert.Equal(each["live"], states.Sum(state => (long)each[state]!));
            Assert.InRange((long)each["live"]!, 0, 2);
            Assert.Equal(each["rented"], (long)each["hits"]! + (long)each["waits"]!);
        });
        return snapshots.Select(each => (long)each["rented"]!);
    }

    private static Workbench Bench(string name, int maxSize)
    {
        var bench = new Workbench(maxSize);
        (bench.Options.Name, bench.Options.LabelLeases) = (name, true);
        return bench;
    }

    private static async Task WaitAsync(Workbench bench)
    {
        var request = bench.RequestAsync(TimeSpan.FromSeconds(1));
        bench.Advance(3);
        await request;
    }

    private sealed class OnServers(Func<IReadOnlyList<ServerStatistics<string>>> servers) : ResourcePolicy<Part>
    {
        public override ValueTask<Part> CreateAsync(CancellationToken cancellationToken) => new(new Part(1));

        protected internal override IReadOnlyList<ServerStatistics<string>> GetServers() => servers();
    }
}
