using Poolhouse.Http.Tests.Support;

namespace Poolhouse.Http.Tests.Bulkheads;

/// <summary>How many requests are under way at once, and what counts together.</summary>
public sealed class Limits
{
    [Fact]
    public async Task The_number_of_requests_to_an_endpoint_stays_within_its_limit()
    {
        using var bench = new Harness(endpointLimit: 2);
        using var first = await bench.OccupyAsync();
        using var second = await bench.OccupyAsync();
        var third = bench.SendAsync();

        Assert.Equal((2, 1), (bench.Inner.Sent.Count, bench.Now.Waiting));
        first.Dispose();
        (await bench.Inner.ComesAsync(2)).Respond();
        (await Patience.WithinAsync(third)).Dispose();
    }

    [Fact]
    public async Task Each_endpoint_has_a_separate_limit()
    {
        using var bench = new Harness(endpointLimit: 1);
        string[] endpoints = ["http://server/", "https://server/", "http://other/", "http://server:81/"];
        var responses = new List<HttpResponseMessage>();
        foreach (var endpoint in endpoints)
        {
            responses.Add(await bench.OccupyAsync(endpoint));
        }

        Assert.Equal(0, bench.Now.Waiting);
        Assert.All(endpoints, endpoint => Assert.Equal(1, bench.Bulkhead.GetStatistics(new Uri(endpoint))!.Leased));
        responses.ForEach(static response => response.Dispose());
    }

    [Theory]
    [InlineData("http://server/other/path?query=1")]
    [InlineData("http://user:password@server/")]
    [InlineData("http://SERVER:80/")]
    public async Task Path_query_credentials_and_letter_case_do_not_change_the_endpoint(string address)
    {
        using var bench = new Harness(endpointLimit: 1);
        using var first = await bench.OccupyAsync();
        var second = bench.SendAsync(address);

        Assert.Equal(1, bench.Now.Waiting);
        first.Dispose();
        (await bench.Inner.ComesAsync(1)).Respond();
        (await Patience.WithinAsync(second)).Dispose();
    }

    [Fact]
    public async Task The_total_limit_bounds_all_endpoints_together()
    {
        using var bench = new Harness(endpointLimit: 2, options => options.MaxTotal = 2);
        using var first = await bench.OccupyAsync("http://one/");
        using var second = await bench.OccupyAsync("http://one/");
        var third = bench.SendAsync("http://two/");

        Assert.Equal((2, 1), (bench.Now.Leased, bench.Now.Waiting));
        first.Dispose();
        (await bench.Inner.ComesAsync(2)).Respond();
        (await Patience.WithinAsync(third)).Dispose();
        Assert.InRange(bench.Now.PeakLive, 2, 3);
    }

    [Fact]
    public async Task An_unused_permit_goes_to_another_endpoint()
    {
        using var bench = new Harness(endpointLimit: 1, options => options.MaxTotal = 1);
        (await bench.OccupyAsync("http://one/")).Dispose();

        using var second = await bench.OccupyAsync("http://two/");
        Assert.Equal(1, bench.Now.Leased);
    }

    [Fact]
    public async Task Two_handlers_on_one_bulkhead_share_its_permits()
    {
        using var bench = new Harness(endpointLimit: 1);
        using var inner = new ScriptedHandler { Answer = static _ => new HttpResponseMessage() };
        using var other = new HttpClient(new BulkheadHandler(bench.Bulkhead, inner));
        using var first = await bench.OccupyAsync();
        var second = other.GetAsync(new Uri("http://server/"));

        Assert.Equal((1, 0), (bench.Now.Waiting, inner.Sent.Count));
        first.Dispose();
        (await Patience.WithinAsync(second)).Dispose();
    }

    [Fact]
    public async Task A_shared_bulkhead_outlives_its_handlers_and_an_owned_one_does_not()
    {
        using var bench = new Harness(endpointLimit: 1);
        using (var other = new BulkheadHandler(bench.Bulkhead, new ScriptedHandler()))
        {
            Assert.Same(bench.Bulkhead, other.Bulkhead);
        }

        (await bench.OccupyAsync()).Dispose();
        bench.Handler.Dispose();
        using var late = new HttpClient(new BulkheadHandler(bench.Bulkhead, new ScriptedHandler()));
        await Assert.ThrowsAsync<ObjectDisposedException>(() => late.GetAsync(new Uri("http://server/")));
        Assert.True(bench.Inner.IsDisposed);
    }

    [Fact]
    public async Task A_request_without_an_absolute_address_is_passed_to_the_inner_handler()
    {
        using var invoker =
            new HttpMessageInvoker(new BulkheadHandler(new BulkheadOptions { MaxPerEndpoint = 1 }, new SocketsHttpHandler()));
        using var request = new HttpRequestMessage(HttpMethod.Get, requestUri: (Uri?)null);

        await Assert.ThrowsAsync<InvalidOperationException>(() => invoker.SendAsync(request, CancellationToken.None));
        Assert.Throws<InvalidOperationException>(() => invoker.Send(request, CancellationToken.None));
    }

    [Fact]
    public async Task An_unused_endpoint_is_removed_and_its_counts_are_kept()
    {
        using var bench = new Harness(endpointLimit: 1);
        (await bench.OccupyAsync()).Dispose();
        var address = new Uri("http://server/");
        Assert.NotNull(bench.Bulkhead.GetStatistics(address));
        await Patience.UntilAsync(
            () =>
            {
                bench.Clock.Advance(TimeSpan.FromSeconds(30));
                return bench.Bulkhead.GetStatistics(address) is null;
            },
            "the endpoint to be forgotten");

        Assert.Equal(1, bench.Now.Rented);
    }
}
