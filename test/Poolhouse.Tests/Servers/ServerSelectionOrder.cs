using Poolhouse.Servers;


namespace Poolhouse.Tests.Servers;

/// <summary>Which server a new item is created on, and which servers are avoided.</summary>
public sealed class ServerSelectionOrder
{
    [Fact]
    public void In_order_the_first_healthy_server_gets_every_item()
    {
        var bench = new ServerBench();

        Assert.Equal(["A", "A", "A"], [bench.Where(), bench.Where(), bench.Where()]);
    }

    [Fact]
    public void Round_robin_uses_the_servers_in_turn()
    {
        var bench = new ServerBench(ServerSelection.RoundRobin);

        Assert.Equal(["A", "B", "C", "A"], [bench.Where(), bench.Where(), bench.Where(), bench.Where()]);
    }

    [Fact]
    public void A_server_that_came_back_gets_every_new_item_until_it_has_its_share()
    {
        var bench = new ServerBench(ServerSelection.RoundRobin) { Down = { "B" } };
        var items = Enumerable.Range(0, 6).Select(_ => bench.Create()).ToList();
        Assert.Equal([3, 0, 3], bench.Items());

        bench.Down.Clear();
        bench.Set.ReportSuccess("B");
        items.AddRange(Enumerable.Range(0, 3).Select(_ => bench.Create()));

        Assert.Equal([3, 3, 3], bench.Items());
        GC.KeepAlive(items);
    }

    [Theory]
    [InlineData(0, "A")]
    [InlineData(0.4, "B")]
    [InlineData(1, "C")]
    public void Round_robin_begins_at_a_random_server(double chance, string first)
    {
        var options =
            new ServerSetOptions { Selection = ServerSelection.RoundRobin }.With(new FixedRandom { Value = chance });
        var set = new ServerSet<string>(["A", "B", "C"], options);

        Assert.Equal(first, set.Create((_, _) => new Part(1), Timeout.InfiniteTimeSpan).Server);
    }

    [Theory]
    [InlineData(0, "A")]
    [InlineData(0.4, "B")]
    [InlineData(1, "C")]
    public void Random_uses_every_server(double chance, string server)
    {
        var bench = new ServerBench(ServerSelection.Random);
        bench.Random.Value = chance;

        Assert.Equal(server, bench.Where());
    }

    [Fact]
    public void Fewest_items_fills_the_server_that_lost_items()
    {
        var bench = new ServerBench(ServerSelection.LeastOutstanding);
        var items = Enumerable.Range(0, 6).Select(_ => bench.Create()).ToList();
        items.Where(item => item.Server is "B").ToList().ForEach(item => item.Dispose());

        Assert.Equal(["B", "B"], [bench.Create().Server, bench.Create().Server]);
        Assert.Equal([2, 2, 2], bench.Items());
    }

    [Fact]
    public void Fewest_items_counts_creations_under_way()
    {
        var bench = new ServerBench(ServerSelection.LeastOutstanding);
        var gate = new Gate<Part>();
        var creations = Enumerable.Range(0, 6)
            .Select(_ => bench.Set.CreateAsync((_, token) => gate.WaitAsync(token), Timeout.InfiniteTimeSpan).AsTask()).ToList();

        Assert.All(bench.Set.GetStatistics(), each => Assert.Equal((2, 0), (each.Creating, each.Items)));
        creations.ForEach(_ => gate.Release(new Part(1)));
        Assert.All(bench.Set.GetStatistics(), each => Assert.Equal((0, 2), (each.Creating, each.Items)));
    }

    [Fact]
    public void A_creation_fails_over_to_the_next_server()
    {
        var bench = new ServerBench { Down = { "A", "B" } };

        Assert.Equal("C", bench.Where());
        Assert.Equal("ABC", bench.TakeTried());
    }

    [Fact]
    public void A_server_that_failed_is_avoided_until_its_recheck()
    {
        var bench = new ServerBench { Down = { "A" } };
        bench.Where();
        bench.TakeTried();

        bench.Advance(9.9);
        Assert.Equal("B", bench.Where());
        Assert.Equal("B", bench.TakeTried());
        bench.Advance(0.1);
        Assert.Equal("B", bench.Where());
        Assert.Equal("AB", bench.TakeTried());
    }

    [Fact]
    public void Consecutive_failures_double_the_recheck_delay_up_to_its_maximum()
    {
        var bench = new ServerBench(servers: "A");
        var delays = new List<double>();
        for (var i = 0; i < 6; i++)
        {
            bench.Fail("A");
            delays.Add(bench.Of("A").RecheckIn.TotalSeconds);
            bench.Advance(delays[^1]);
        }

        Assert.Equal([10, 20, 40, 80, 120, 120], delays);
        bench.Set.ReportSuccess("A");
        bench.Fail("A");
        Assert.Equal(10, bench.Of("A").RecheckIn.TotalSeconds);
    }

    [Theory]
    [InlineData(0, 0)]
    [InlineData(0.25, 2.5)]
    public void The_recheck_delay_is_randomized_down_to_zero(double chance, double seconds)
    {
        var bench = new ServerBench();
        bench.Random.Value = chance;
        bench.Fail("A");

        Assert.Equal(seconds, bench.Of("A").RecheckIn.TotalSeconds);
    }

    [Fact]
    public void One_creation_rechecks_a_server_and_others_do_not_wait_for_it()
    {
        var bench = new ServerBench();
        var gate = new Gate<Part>();
        bench.Fail("A");
        bench.Advance(10);

        var recheck = bench.Set.CreateAsync((_, token) => gate.WaitAsync(token), Timeout.InfiniteTimeSpan).AsTask();
        Assert.Equal("B", bench.Create().Server);
        gate.Release(new Part(1));

        Assert.True(recheck.IsCompletedSuccessfully);
        Assert.Equal(ServerHealth.Up, bench.Of("A").Health);
        bench.Down.Clear();
        Assert.Equal("A", bench.Where());
    }

    [Fact]
    public void Avoided_servers_are_tried_last_in_the_order_of_their_rechecks()
    {
        var bench = new ServerBench(servers: "ABCD");
        bench.Fail("B");
        bench.Advance(1);
        bench.Fail("A");
        bench.Advance(1);
        bench.Fail("C");
        bench.Down.Add("D");

        bench.Failure();
        Assert.Equal("DBAC", bench.TakeTried());
    }

    [Fact]
    public void When_all_servers_failed_the_next_creation_still_tries_them()
    {
        var bench = new ServerBench();
        bench.Fail("A");
        bench.Fail("B");
        bench.Fail("C");
        bench.Down.Remove("B");

        Assert.Equal("B", bench.Where());
        Assert.Equal("AB", bench.TakeTried());
    }

    [Fact]
    public void The_load_of_a_failed_server_is_spread_over_the_others()
    {
        var bench = new ServerBench(ServerSelection.RoundRobin);
        bench.Fail("B");

        var items = Enumerable.Range(0, 6).Select(_ => bench.Create()).ToList();
        Assert.Equal(6, items.Count);
        Assert.Equal([3, 0, 3], bench.Items());
    }
}
