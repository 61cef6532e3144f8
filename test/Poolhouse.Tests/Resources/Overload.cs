using Poolhouse.Resources;

namespace Poolhouse.Tests.Resources;

public sealed class Overload
{
    [Fact]
    public async Task A_queue_that_stands_still_for_an_interval_is_shed()
    {
        var bench = NewBench();
        using var lease = bench.Rent();
        var waiting = bench.AskAsync();
        bench.Pass(0.9);
        Assert.False(waiting.IsCompleted);
        bench.Pass(0.3);

        var shed = await Assert.ThrowsAsync<PoolOverloadedException>(() => waiting);
        Assert.InRange(shed.Elapsed, Workbench.Seconds(1), Workbench.Seconds(1.2));
        Assert.Contains("Overload.Target", shed.Message, StringComparison.Ordinal);
        Assert.Equal(1, bench.Now.Shed);
    }

    [Fact]
    public async Task When_even_the_luckiest_waited_too_long_for_an_interval_those_who_wait_too_long_are_shed()
    {
        var bench = NewBench();
        var lease = bench.Rent();
        var waiting = Enumerable.Range(0, 12).Select(_ => bench.AskAsync()).ToList();
        for (var i = 0; i < 5; i++)
        {
            // The first interval has a lucky one: the caller that found the pool empty.
            bench.Pass(0.4);
            bench.Return(lease);
            lease = await waiting[i];
        }

        bench.Pass(0.4);
        bench.Return(lease);

        Assert.All(waiting[5..], caller => Assert.IsType<PoolOverloadedException>(caller.Exception!.InnerException));
        Assert.Equal((7L, 1), (bench.Now.Shed, bench.Now.Idle));
    }

    [Fact]
    public void A_short_burst_waits_as_long_as_it_likes()
    {
        var bench = NewBench();
        var lease = bench.Rent();
        var waiting = bench.AskAsync();
        bench.Pass(0.9);
        bench.Return(lease);

        Assert.True(waiting.IsCompletedSuccessfully);
        Assert.Equal(0, bench.Now.Shed);
    }

    private static Workbench NewBench()
    {
        var bench = new Workbench();
        bench.Options.Overload = new OverloadOptions { Target = TimeSpan.FromMilliseconds(50), Interval = Workbench.Seconds(1) };
        return bench;
    }
}
