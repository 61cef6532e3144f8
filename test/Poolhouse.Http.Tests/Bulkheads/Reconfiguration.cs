using Poolhouse.Http.Tests.Support;

namespace Poolhouse.Http.Tests.Bulkheads;

public sealed class Reconfiguration
{
    [Fact]
    public async Task New_limits_apply_to_endpoints_that_are_known_already()
    {
        using var bench = new Harness(endpointLimit: 1);
        using var first = await bench.OccupyAsync();
        var waiting = bench.OccupyAsync();
        Assert.Equal(1, bench.Now.Waiting);

        bench.Bulkhead.Reconfigure(new BulkheadOptions { MaxPerEndpoint = 2, Name = "outgoing", TimeProvider = bench.Clock });

        using var second = await Patience.WithinAsync(waiting);
        bench.AssertUnderWay(2);
    }

    [Fact]
    public async Task A_larger_total_admits_requests_that_wait_for_it()
    {
        using var bench = new Harness(endpointLimit: 4, options => options.MaxTotal = 1);
        using var first = await bench.OccupyAsync("http://one/");
        var waiting = bench.OccupyAsync("http://two/");

        bench.Bulkhead.Resize(2);

        using var second = await Patience.WithinAsync(waiting);
        Assert.Equal(2, bench.Now.MaxLeased);
    }

    [Fact]
    public async Task Requests_wait_while_the_bulkhead_is_suspended()
    {
        using var bench = new Harness(endpointLimit: 4);
        bench.Bulkhead.Suspend();
        var waiting = bench.OccupyAsync();
        Assert.Equal(1, bench.Now.Waiting);

        bench.Bulkhead.Resume();

        using var response = await Patience.WithinAsync(waiting);
    }

    [Fact]
    public void Everything_that_is_wrong_is_named_at_once_and_nothing_changes()
    {
        using var bench = new Harness(endpointLimit: 4, options => options.MaxTotal = 7);

        var error = Assert.Throws<ArgumentException>(
            () => bench.Bulkhead.Reconfigure(new BulkheadOptions { MaxPerEndpoint = 0, Name = "other" }));

        Assert.All(
            ["MaxPerEndpoint is 0", "Name is \"other\"; allowed: \"outgoing\"", "TimeProvider is"],
            part => Assert.Contains(part, error.Message, StringComparison.Ordinal));
        Assert.Equal(7, bench.Now.MaxLeased);
    }
}
