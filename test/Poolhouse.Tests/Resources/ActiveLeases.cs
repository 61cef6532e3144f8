using System.Diagnostics;
using System.Diagnostics.Metrics;
using Poolhouse.Testing;

namespace Poolhouse.Tests.Resources;

/// <summary>GetLeases, and the leases that a timeout shows: who holds the items, and for how long.</summary>
public sealed class ActiveLeases
{
    [Fact]
    public void Leases_are_listed_from_the_oldest_to_the_youngest_without_those_that_ended()
    {
        var bench = new Workbench(3);
        bench.Fill(3);
        var leases = new List<Lease<Part>>();
        for (var number = 0; number < 3; number++)
        {
            leases.Add(bench.Rent());
            bench.Advance(10);
        }

        var numbers = leases.Select(static lease => lease.Info.ItemNumber).ToList();
        Assert.Equal(numbers, bench.Pool.GetLeases(10).Select(static lease => lease.ItemNumber));
        Assert.Equal([30, 20, 10], bench.Pool.GetLeases(10).Select(static lease => lease.LeasedFor.TotalSeconds));

        bench.Return(leases[0]);
        Assert.Equal([numbers[1]], bench.Pool.GetLeases(1).Select(static lease => lease.ItemNumber));
        Assert.Empty(bench.Pool.GetLeases(0));
        Assert.Throws<ArgumentOutOfRangeException>(() => bench.Pool.GetLeases(-1));

        leases[1].Detach();
        leases[2].Discard();
        Assert.Empty(bench.Pool.GetLeases(10));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_lease_keeps_the_label_and_the_activity_of_its_caller(bool waits)
    {
        var bench = new Workbench();
        bench.Options.LabelLeases = true;
        bench.Fill(1);
        var before = waits ? bench.Rent() : default;
        using var activity = new Activity("checkout").Start();
        Task<Lease<Part>> renting;
        using (LeaseLabel.Use("checkout"))
        {
            renting = bench.RequestAsync();
        }

        activity.Stop();
        before.Dispose();
        bench.Run();
        using var lease = await renting;

        var seen = Assert.Single(bench.Pool.GetLeases(10));
        Assert.Equal("checkout", seen.Label);
        Assert.Equal(activity.TraceId, seen.TraceId);
        Assert.Equal(activity.SpanId, seen.SpanId);
        Assert.Null(seen.RentedAt);
    }

    [Fact]
    public void A_lease_shows_nothing_of_an_earlier_lease_of_its_item()
    {
        var bench = new Workbench();
        bench.Options.LabelLeases = true;
        bench.Fill(1);
        using (LeaseLabel.Use("first"))
        {
            bench.Return(bench.Rent());
        }

        _ = bench.Rent();

        Assert.Null(Assert.Single(bench.Pool.GetLeases(1)).Label);
    }

    [Fact]
    public void Labels_are_not_recorded_unless_the_pool_is_set_to()
    {
        var bench = new Workbench();
        using var activity = new Activity("checkout").Start();
        using var label = LeaseLabel.Use("checkout");
        _ = bench.Rent();

        var seen = Assert.Single(bench.Pool.GetLeases(1));

        Assert.Null(seen.Label);
        Assert.Equal(default, seen.TraceId);
    }

    [Fact]
    public void The_label_of_a_flow_is_that_of_the_innermost_use()
    {
        Assert.Null(LeaseLabel.Current);
        using (LeaseLabel.Use("outer"))
        {
            using (LeaseLabel.Use("inner"))
            {
                Assert.Equal("inner", LeaseLabel.Current);
            }

            Assert.Equal("outer", LeaseLabel.Current);
        }

        Assert.Null(LeaseLabel.Current);
        Assert.Throws<ArgumentException>(() => LeaseLabel.Use(" "));
    }

    [Fact]
    public async Task A_timeout_shows_the_five_oldest_leases_with_label_trace_and_caller()
    {
        var bench = new Workbench(7);
        bench.Options.TrackLeases = true;
        var first = new Activity("first").Start();
        for (var number = 1; number <= 7; number++)
        {
            using var label = LeaseLabel.Use($"route-{number}");
            _ = bench.Rent();
            first.Stop();
            bench.Advance(1);
        }

        var waiting = bench.RequestAsync();
        bench.Advance(30);
        var timeout = await Assert.ThrowsAsync<PoolTimeoutException>(() => waiting);

        Assert.Equal([1, 2, 3, 4, 5], timeout.OldestLeases.Select(static lease => lease.ItemNumber));
        Assert.Contains(
            $"oldest leases: item 1 for 37 s by 'route-1', trace {first.TraceId}, span {first.SpanId}, at " +
            "Poolhouse.Tests.Workbench.RequestAsync; item 2 for 36 s by 'route-2', at " +
            "Poolhouse.Tests.Workbench.RequestAsync; item 3",
            timeout.Message,
            StringComparison.Ordinal);
        Assert.DoesNotContain("route-6", timeout.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_timeout_while_nothing_is_leased_shows_no_lease()
    {
        var bench = new Workbench();
        bench.Pool.Suspend();

        var waiting = bench.RequestAsync();
        bench.Advance(30);

        var timeout = await Assert.ThrowsAsync<PoolTimeoutException>(() => waiting);
        Assert.Empty(timeout.OldestLeases);
        Assert.DoesNotContain("oldest lease", timeout.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_keyed_pool_lists_the_leases_of_all_keys_or_of_one()
    {
        var clock = new ManualTimeProvider();
        await using var pool = new KeyedResourcePool<string, Part>(
            static _ => new ScriptedPolicy(),
            new KeyedResourcePoolOptions<string>
            {
                MaxSize = 4,
                Pool = new ResourcePoolOptions { MaxSize = 2, TimeProvider = clock, LabelLeases = true },
            });
        foreach (var key in (string[])["eu", "us"])
        {
            using var label = LeaseLabel.Use(key);
            _ = await pool.RentAsync(key);
            clock.Advance(Workbench.Seconds(1));
        }

        Assert.Equal(["eu", "us"], pool.GetLeases(10).Select(static lease => lease.Label));
        Assert.Equal(["eu"], pool.GetLeases(1).Select(static lease => lease.Label));
        Assert.Equal(["us"], pool.GetLeases("us", 10).Select(static lease => lease.Label));
        Assert.Empty(pool.GetLeases("unknown", 10));
    }

    [Fact]
    public async Task A_shared_pool_lists_each_use_with_the_number_of_its_item()
    {
        using var bench = new SharedBench(maxSize: 2, maxUses: 2);
        bench.Options.Pool.LabelLeases = true;
        var leases = new List<Lease<Part>>();
        for (var number = 1; number <= 4; number++)
        {
            using var label = LeaseLabel.Use($"caller {number}");
            leases.Add(await bench.RentAsync());
            bench.Clock.Advance(Workbench.Seconds(1));
        }

        var seen = bench.Pool.GetLeases(10);
        Assert.Equal(["caller 1", "caller 2", "caller 3", "caller 4"], seen.Select(static lease => lease.Label));
        Assert.Equal(leases.Select(static lease => lease.Info.ItemNumber), seen.Select(static lease => lease.ItemNumber));
        Assert.Equal([4, 3, 2, 1], seen.Select(static lease => lease.LeasedFor.TotalSeconds));

        var waiting = bench.RequestAsync();
        bench.AdvanceUntil(() => waiting.IsCompleted, Workbench.Seconds(1), 60);
        var timeout = await Assert.ThrowsAsync<PoolTimeoutException>(() => waiting);
        Assert.Equal(
            seen.Select(static lease => lease.ItemNumber), timeout.OldestLeases.Select(static lease => lease.ItemNumber));
    }

    [Fact]
    public async Task A_caller_of_a_shared_pool_that_waits_for_an_item_holds_none()
    {
        using var bench = new SharedBench(maxSize: 1, maxUses: 2);
        var creations = new Gate<Part>();
        bench.Policy.Creates = creations.WaitAsync;
        bench.Options.Pool.RentTimeout = Workbench.Seconds(10);
        var waiting = bench.RequestAsync();
        Background.Until(() => bench.Pool.GetStatistics().Waiting == 1);

        Assert.Empty(bench.Pool.GetLeases(10));

        bench.AdvanceUntil(() => waiting.IsCompleted, Workbench.Seconds(1), 60);
        Assert.Empty((await Assert.ThrowsAsync<PoolTimeoutException>(() => waiting)).OldestLeases);
    }

    [Fact]
    public async Task A_nested_pool_lists_its_leased_children()
    {
        using var bench = new NestedBench(maxParents: 1, maxPerParent: 2);
        bench.Options.ChildPool.LabelLeases = true;
        Lease<Leaf> lease;
        using (LeaseLabel.Use("publish"))
        {
            lease = await bench.RentAsync();
        }

        Assert.Equal(["publish"], bench.Pool.GetLeases(10).Select(static seen => seen.Label));
        lease.Dispose();
        Assert.Empty(bench.Pool.GetLeases(10));
    }

    [Fact]
    public void Pools_that_keep_no_list_of_leases_return_an_empty_one()
    {
        using var pool = new TieredObjectPool<Part>(static () => new Part(1));
        using var lease = pool.Rent();

        Assert.Empty(((IPool)pool).GetLeases(10));
        Assert.Throws<ArgumentOutOfRangeException>(() => ((IPool)pool).GetLeases(-1));
    }

    [Fact]
    public void The_label_is_a_tag_of_the_time_of_use_and_of_the_active_leases()
    {
        using var meter = new Meter("test");
        var bench = new Workbench(3);
        bench.Options.Meter = meter;
        bench.Options.LabelLeases = true;
        var times = new List<string>();
        using var listener = new MeterListener
        {
            InstrumentPublished = (instrument, listener) =>
            {
                if (instrument.Meter == meter && instrument.Name is "poolhouse.pool.use_time")
                {
                    listener.EnableMeasurementEvents(instrument);
                }
            },
        };
        listener.SetMeasurementEventCallback<double>((_, value, tags, _) =>
            times.Add(string.Join(' ', [value, .. tags.ToArray().Select(static tag => $"{tag.Key}={tag.Value}")])));
        listener.Start();
        List<Lease<Part>> leases;
        using (LeaseLabel.Use("GET /orders,all"))
        {
            leases = bench.Rent(2);
        }

        leases.Add(bench.Rent());
        bench.Advance(2);

        Assert.Equal(2, Gauges.Read(meter)["poolhouse.pool.lease.count parts GET /orders;all"]);
        bench.Return(leases[1..]);
        Assert.Equal(["2 poolhouse.pool.name=parts poolhouse.lease.label=GET /orders;all", "2 poolhouse.pool.name=parts"], times);
        Assert.Equal(1, Gauges.Read(meter)["poolhouse.pool.lease.count parts GET /orders;all"]);
    }
}
