using Poolhouse.Servers;


namespace Poolhouse.Tests.Servers;

/// <summary>When items of a less preferred server are replaced.</summary>
public sealed class FailBack
{
    [Fact]
    public void Items_of_the_preferred_server_stay()
    {
        var bench = new ServerBench();
        using var item = bench.Create();
        bench.Advance(3_600);

        Assert.False(item.ShouldFailBack());
    }

    [Fact]
    public void Items_stay_while_the_preferred_server_is_avoided()
    {
        var bench = new ServerBench(change: options => options.RecheckDelay = TimeSpan.FromMinutes(2));
        using var item = OnB(bench);
        bench.Advance(119);

        Assert.False(item.ShouldFailBack());
    }

    [Fact]
    public void One_item_is_replaced_to_try_the_preferred_server_again()
    {
        var bench = new ServerBench();
        using var first = OnB(bench);
        using var second = OnB(bench);
        bench.Advance(60);

        Assert.True(first.ShouldFailBack());
        Assert.False(second.ShouldFailBack());
        Assert.True(first.ShouldFailBack());

        // It failed: after the next delay, the next item is replaced.
        Assert.Equal("B", bench.Where());
        Assert.False(first.ShouldFailBack());
        Assert.False(second.ShouldFailBack());
        bench.Advance(20);
        Assert.True(second.ShouldFailBack());
    }

    [Fact]
    public void Another_item_is_replaced_if_the_first_was_not_replaced()
    {
        var bench = new ServerBench();
        using var first = OnB(bench);
        using var second = OnB(bench);
        bench.Advance(60);
        Assert.True(first.ShouldFailBack());

        bench.Advance(9.9);
        Assert.False(second.ShouldFailBack());
        bench.Advance(0.1);
        Assert.True(second.ShouldFailBack());
    }

    [Theory]
    [InlineData(0, 0)]
    [InlineData(0.5, 30)]
    [InlineData(1, 60)]
    public void Items_fail_back_at_different_times_after_the_preferred_server_recovers(double chance, double seconds)
    {
        var bench = new ServerBench();
        bench.Fail("A");
        bench.Random.Value = chance;
        using var item = bench.Create();
        bench.Advance(300);
        bench.Set.ReportSuccess("A");

        if (seconds > 0)
        {
            bench.Advance(seconds - 0.1);
            Assert.False(item.ShouldFailBack());
            bench.Advance(0.1);
        }

        Assert.True(item.ShouldFailBack());
    }

    [Fact]
    public void A_young_item_stays()
    {
        var bench = new ServerBench();
        using var item = OnB(bench, chance: 0);
        bench.Set.ReportSuccess("A");
        bench.Advance(59.9);

        Assert.False(item.ShouldFailBack());
        bench.Advance(0.1);
        Assert.True(item.ShouldFailBack());
    }

    [Fact]
    public void Without_a_fail_back_age_items_stay()
    {
        var bench = new ServerBench(change: options => options.FailBackAge = Timeout.InfiniteTimeSpan);
        using var item = OnB(bench);
        bench.Set.ReportSuccess("A");
        bench.Advance(100_000);

        Assert.False(item.ShouldFailBack());
    }

    [Theory]
    [InlineData(ServerSelection.RoundRobin)]
    [InlineData(ServerSelection.Random)]
    [InlineData(ServerSelection.LeastOutstanding)]
    public void Without_a_preferred_server_an_item_stays_while_no_server_lacks_items(ServerSelection selection)
    {
        var bench = new ServerBench(selection, "AB");
        using var item = OnB(bench);
        bench.Set.ReportSuccess("A");
        bench.Advance(100_000);

        Assert.Equal("B", item.Server);
        Assert.False(item.ShouldFailBack());
    }

    [Theory]
    [InlineData(ServerSelection.RoundRobin)]
    [InlineData(ServerSelection.Random)]
    [InlineData(ServerSelection.LeastOutstanding)]
    public void Without_a_preferred_server_one_that_recovers_gets_its_share_of_the_items(ServerSelection selection)
    {
        var bench = new ServerBench(selection);
        bench.Fail("A");
        var items = Enumerable.Range(0, 9).Select(_ => bench.Create()).ToList();
        bench.Advance(1);
        bench.Down.Clear();
        bench.Set.ReportSuccess("A");

        bench.Advance(59);
        Assert.DoesNotContain(items, item => item.ShouldFailBack());
        bench.Advance(1);
        Assert.InRange(ReplaceAll(bench, items), 1, 5);

        Assert.Equal(9, bench.Items().Sum());
        Assert.InRange(bench.Of("A").Items, 3, 4);
        bench.Advance(100_000);
        Assert.Equal(0, ReplaceAll(bench, items));
    }

    [Fact]
    public void Without_a_preferred_server_one_that_is_added_gets_its_share_of_the_items()
    {
        var bench = new ServerBench(ServerSelection.RoundRobin, "AB");
        var items = Enumerable.Range(0, 6).Select(_ => bench.Create()).ToList();
        bench.Advance(60);
        bench.Set.Replace(ServerBench.Names("ABC"));
        bench.Advance(60);

        ReplaceAll(bench, items);

        Assert.Equal([2, 2, 2], bench.Items());
    }

    [Fact]
    public void Without_a_preferred_server_one_item_is_replaced_to_try_a_server_again()
    {
        var bench = new ServerBench(ServerSelection.RoundRobin, "AB");
        bench.Fail("A");
        var items = Enumerable.Range(0, 3).Select(_ => bench.Create()).ToList();
        bench.TakeTried();
        bench.Down.Clear();
        bench.Advance(60);

        Assert.Single(items, item => item.ShouldFailBack());
        items.Find(item => item.ShouldFailBack())!.Dispose();
        using var trial = bench.Create();

        Assert.Equal(("A", "A"), (bench.TakeTried(), trial.Server));
    }

    [Fact]
    public void A_cancelled_recheck_can_be_requested_again()
    {
        var bench = new ServerBench();
        using var item = OnB(bench);
        bench.Advance(60);
        Assert.True(item.ShouldFailBack());
        using var unwanted = new CancellationTokenSource();

        Assert.Throws<OperationCanceledException>(() => bench.Set.Create<Part>(
            (_, token) =>
            {
                unwanted.Cancel();
                throw new OperationCanceledException(token);
            },
            Timeout.InfiniteTimeSpan,
            unwanted.Token));
        Assert.True(item.ShouldFailBack());
    }

    /// <summary>Replaces each item that is to be replaced, as a pool does, until there is none.</summary>
    private static int ReplaceAll(ServerBench bench, List<ServerItem<string, Part>> items)
    {
        for (var replaced = 0; ; replaced++)
        {
            var index = items.FindIndex(item => item.ShouldFailBack());
            if (index < 0)
            {
                return replaced;
            }

            items[index].Dispose();
            items[index] = bench.Create();
        }
    }

    private static ServerItem<string, Part> OnB(ServerBench bench, double chance = 1)
    {
        bench.Fail("A");
        bench.Random.Value = chance;
        var item = bench.Create();
        bench.Random.Value = 1;
        return item;
    }
}
