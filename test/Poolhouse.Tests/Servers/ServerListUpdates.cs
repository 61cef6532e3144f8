using Poolhouse.Servers;


namespace Poolhouse.Tests.Servers;

/// <summary>A list of servers that changes while items are on them.</summary>
public sealed class ServerListUpdates
{
    [Fact]
    public void Servers_that_stay_keep_their_items_and_their_health()
    {
        var bench = new ServerBench();
        using var item = bench.Create();
        bench.Fail("B");

        bench.Set.Replace(["B", "A", "D"]);

        Assert.Equal(["B", "A", "D"], bench.Set.GetStatistics().Select(each => each.Server));
        Assert.Equal((1, ServerHealth.Avoided), (bench.Of("A").Items, bench.Of("B").Health));
        Assert.Equal("A", bench.Where());
    }

    [Fact]
    public void New_items_go_to_the_new_list()
    {
        var bench = new ServerBench(ServerSelection.RoundRobin, "AB");
        bench.Where();
        bench.Set.Replace(["C"]);

        Assert.Equal(["C", "C"], [bench.Where(), bench.Where()]);
        Assert.Equal(["C"], bench.Set.GetStatistics().Select(each => each.Server));
    }

    [Fact]
    public void Items_on_a_removed_server_are_replaced_at_once_if_another_is_up()
    {
        var bench = new ServerBench(change: options => options.FailBackAge = Timeout.InfiniteTimeSpan);
        using var item = bench.Create();
        bench.Set.Replace(["B"]);

        Assert.Equal((ServerHealth.Removed, 1), (bench.Of("A").Health, bench.Of("A").Items));
        Assert.True(item.ShouldFailBack());
        bench.Fail("B");
        Assert.False(item.ShouldFailBack());
    }

    [Fact]
    public void An_item_on_a_removed_server_is_replaced_for_the_recheck_of_a_listed_one()
    {
        var bench = new ServerBench(servers: "AB");
        bench.Fail("A");
        using var item = bench.Create();
        Assert.Equal("B", item.Server);
        bench.Set.Replace(["A"]);
        bench.Down.Clear();
        Assert.False(item.ShouldFailBack());

        bench.Advance(600);

        Assert.True(item.ShouldFailBack());
        Assert.Equal("A", bench.Where());
    }

    [Fact]
    public void A_removed_server_is_forgotten_with_its_last_item()
    {
        var bench = new ServerBench();
        var item = bench.Create();
        bench.Set.Replace(["B"]);
        item.Dispose();

        Assert.Equal(["B"], bench.Set.GetStatistics().Select(each => each.Server));
    }

    [Fact]
    public void A_server_added_again_keeps_its_remaining_items()
    {
        var bench = new ServerBench();
        using var item = bench.Create();
        bench.Set.Replace(["B"]);
        bench.Set.Replace(["C"]);
        bench.Set.Replace(["A", "C"]);

        Assert.Equal((ServerHealth.Up, 1), (bench.Of("A").Health, bench.Of("A").Items));
        Assert.False(item.ShouldFailBack());
    }

    [Fact]
    public void A_server_that_became_the_preferred_one_takes_over_slowly()
    {
        var bench = new ServerBench();
        using var item = bench.Create();
        bench.Advance(3_600);
        bench.Set.Replace(["B", "A"]);

        Assert.False(item.ShouldFailBack());
        bench.Advance(60);
        Assert.True(item.ShouldFailBack());
    }

    [Fact]
    public async Task A_creation_under_way_on_a_removed_server_is_counted_there()
    {
        var bench = new ServerBench();
        var gate = new Gate<Part>();
        var creation = bench.Set.CreateAsync((_, token) => gate.WaitAsync(token), Timeout.InfiniteTimeSpan).AsTask();
        bench.Set.Replace(["B"]);
        bench.Set.Replace(["C"]);

        gate.Release(new Part(1));

        using var item = await creation;
        Assert.Equal((ServerHealth.Removed, 1), (bench.Of("A").Health, bench.Of("A").Items));
        Assert.True(item.ShouldFailBack());
    }

    [Theory]
    [InlineData("")]
    [InlineData("AA")]
    [InlineData("A?")]
    public void An_invalid_list_changes_nothing(string list)
    {
        var bench = new ServerBench(servers: "B");
        var servers = ServerBench.Names(list).Select(name => name is "?" ? null! : name).ToList();

        Assert.Throws<ArgumentException>("servers", () => bench.Set.Replace(servers));
        Assert.Throws<ArgumentException>("servers", () => new ServerSet<string>(servers));
        Assert.Equal(["B"], bench.Set.GetStatistics().Select(each => each.Server));
    }

    [Fact]
    public void Arguments_that_are_null_are_named()
    {
        var set = new ServerBench().Set;

        Assert.Throws<ArgumentNullException>("servers", () => new ServerSet<string>(null!));
        Assert.Throws<ArgumentNullException>("servers", () => set.Replace(null!));
        Assert.Throws<ArgumentNullException>("server", () => set.ReportFailure(null!));
        Assert.Throws<ArgumentNullException>("server", () => set.ReportSuccess(null!));
        Assert.Throws<ArgumentNullException>("create", () => set.Create<Part>(null!, Timeout.InfiniteTimeSpan));
        Assert.Throws<ArgumentNullException>(
            "create", () => { _ = set.CreateAsync<Part>(null!, Timeout.InfiniteTimeSpan).AsTask().GetAwaiter().GetResult(); });
    }

    [Fact]
    public void All_invalid_settings_are_named_at_once_with_value_and_range()
    {
        var options = new ServerSetOptions
        {
            Selection = (ServerSelection)9,
            AttemptTimeout = TimeSpan.Zero,
            RecheckDelay = TimeSpan.FromDays(3),
            MaxRecheckDelay = TimeSpan.FromDays(2),
            FailBackAge = TimeSpan.FromSeconds(-3),
            TimeProvider = null!,
        };

        var error = Assert.Throws<ArgumentException>("options", () => new ServerSet<string>(["A"], options));
        foreach (var part in new[]
        {
            "Selection is 9; allowed: Ordered, RoundRobin, Random or LeastOutstanding.",
            "AttemptTimeout is 00:00:00; allowed: 00:00:00.0010000 to",
            "RecheckDelay is 3.00:00:00; allowed: 00:00:00.0010000 to 1.00:00:00.",
            "MaxRecheckDelay is 2.00:00:00; allowed: 00:00:00.0010000 to 1.00:00:00.",
            "FailBackAge is -00:00:03; allowed: 00:00:00 to",
            "TimeProvider is null; allowed: not null.",
        })
        {
            Assert.Contains(part, error.Message, StringComparison.Ordinal);
        }
    }

    [Theory]
    [InlineData(2_000, 1_000, "MaxRecheckDelay is 00:00:01; allowed: RecheckDelay (00:00:02) to 1.00:00:00.")]
    [InlineData(2_000, 0, "MaxRecheckDelay is 00:00:00; allowed: RecheckDelay (00:00:02) to 1.00:00:00.")]
    [InlineData(6_000, 5_000, "RecheckDelay is 00:00:06; allowed: 00:00:00.0010000 to MaxRecheckDelay (00:00:05).")]
    [InlineData(0, 5_000, "RecheckDelay is 00:00:00; allowed: 00:00:00.0010000 to MaxRecheckDelay (00:00:05).")]
    public void One_invalid_delay_is_one_error_that_names_it(int delay, int max, string expected)
    {
        var options = new ServerSetOptions
        {
            RecheckDelay = TimeSpan.FromMilliseconds(delay),
            MaxRecheckDelay = TimeSpan.FromMilliseconds(max),
        };

        var error = Assert.Throws<ArgumentException>("options", () => new ServerSet<string>(["A"], options));

        Assert.Equal($"Invalid pool options. {expected} (Parameter 'options')", error.Message);
    }
}
