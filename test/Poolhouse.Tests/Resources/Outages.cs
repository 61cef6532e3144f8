namespace Poolhouse.Tests.Resources;

/// <summary>I33: while items cannot be created, callers are told so, with the cause, within OutageTimeout.</summary>
public sealed class Outages
{
    [Fact]
    public void The_statistics_tell_since_when_and_why_items_cannot_be_created()
    {
        var bench = NewBench(new InvalidOperationException("down"));
        Assert.Null(bench.Now.Outage);
        _ = bench.RequestAsync(Workbench.Seconds(1));
        bench.Run();
        var since = bench.Clock.GetUtcNow();
        bench.Advance(1.5);
        var latest = new InvalidOperationException("still down");
        bench.Policy.Creates = _ => throw latest;
        _ = bench.RequestAsync(Workbench.Seconds(10));
        bench.Run();

        var outage = bench.Now.Outage!;

        Assert.Equal((since, Workbench.Seconds(1.5), latest), (outage.Since, outage.Duration, outage.LastFailure));
        Assert.Equal(bench.Now.RetryAfter, outage.RetryAfter);
        bench.Policy.Creates = _ => new ValueTask<Part>(bench.Policy.New());
        bench.Advance(1);
        Assert.Null(bench.Now.Outage);
    }

    private static Workbench NewBench(Exception failure)
    {
        var bench = new Workbench(maxSize: 4);
        bench.Policy.Creates = _ => throw failure;
        return bench;
    }
}
