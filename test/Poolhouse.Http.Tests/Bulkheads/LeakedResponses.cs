using System.Net;
using System.Runtime.CompilerServices;
using Poolhouse.Http.Tests.Support;
using Poolhouse.Testing;

namespace Poolhouse.Http.Tests.Bulkheads;

/// <summary>Responses that are neither read nor disposed.</summary>
[Collection(nameof(Alone))]
public sealed class LeakedResponses
{
    [Fact]
    public async Task A_leaked_response_releases_its_permit_when_it_is_collected()
    {
        var leaks = new LeakScope();
        using var bulkhead = new Bulkhead(new BulkheadOptions { MaxPerEndpoint = 1 });
        using var client = new HttpMessageInvoker(new BulkheadHandler(bulkhead, new Forgetful()));
        Send(client);
        Assert.Equal(1, bulkhead.GetStatistics().Leased);
        using var request = new HttpRequestMessage(HttpMethod.Get, new Uri("http://server/"));
        var waiting = client.SendAsync(request, CancellationToken.None);

        await Patience.UntilAsync(
            () => Collect() && bulkhead.GetStatistics().Waiting == 0, "the place of the forgotten response");
        (await Patience.WithinAsync(waiting)).Dispose();
        Assert.Equal((0, 0L), (bulkhead.GetStatistics().Leased, bulkhead.GetStatistics().DoubleReturns));
        Assert.Single(Assert.Throws<LeakException>(leaks.Dispose).Leaks);
    }

    // contentful.net#365 is the same without Polly.
    [Fact]
    public async Task Polly_1131_a_failed_response_that_a_retry_drops_undisposed_releases_its_permit()
    {
        var leaks = new LeakScope();
        using var bulkhead = new Bulkhead(new BulkheadOptions { MaxPerEndpoint = 1 });
        using var client = new HttpClient(new CarelessRetries(new BulkheadHandler(bulkhead, new Failing(failures: 3))));
        var asking = client.GetAsync(new Uri("http://server/"));

        await Patience.UntilAsync(() => Collect() && asking.IsCompleted, "the permits of the dropped responses");
        using var response = await asking;
        await Patience.UntilAsync(() => Collect() && bulkhead.GetStatistics().Leased == 0, "the permit of the last response");
        Assert.Equal((HttpStatusCode.OK, 0, 4L),
            (response.StatusCode, bulkhead.GetStatistics().Leased, bulkhead.GetStatistics().Rented));
        Assert.Equal(4, Assert.Throws<LeakException>(leaks.Dispose).Leaks.Count);
    }

    [Fact]
    public void A_response_holds_its_permit_while_its_stream_is_referenced()
    {
        using var bulkhead = new Bulkhead(new BulkheadOptions { MaxPerEndpoint = 1 });
        using var client = new HttpMessageInvoker(new BulkheadHandler(bulkhead, new Forgetful()));
        var stream = KeepStream(client);
        Collect();

        Assert.Equal(1, bulkhead.GetStatistics().Leased);
        stream.Dispose();
        Assert.Equal(0, bulkhead.GetStatistics().Leased);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static HttpResponseMessage Send(HttpMessageInvoker client)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, new Uri("http://server/"));
        return client.SendAsync(request, CancellationToken.None).WaitAsync(Patience.Limit).GetAwaiter().GetResult();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Stream KeepStream(HttpMessageInvoker client) => Send(client).Content.ReadAsStream();

    private static bool Collect()
    {
        for (var i = 0; i < 3; i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }

        return true;
    }

    private sealed class CarelessRetries(HttpMessageHandler inner) : DelegatingHandler(inner)
    {
        protected override async Task<HttpResponseMessage> SendAsync(
            HttpRequestMessage request, CancellationToken cancellationToken)
        {
            while (!await HasSucceededAsync(request, cancellationToken))
            {
            }

            return new HttpResponseMessage();
        }

        private async Task<bool> HasSucceededAsync(HttpRequestMessage request, CancellationToken cancellationToken) =>
            (await base.SendAsync(request, cancellationToken)).IsSuccessStatusCode;
    }

    private sealed class Failing(int failures) : HttpMessageHandler
    {
        private int _left = failures;

        protected override async Task<HttpResponseMessage> SendAsync(
            HttpRequestMessage request, CancellationToken cancellationToken)
        {
            await Task.Yield();
            if (Interlocked.Decrement(ref _left) < 0)
            {
                return new HttpResponseMessage();
            }

            var response = ScriptedBody.Respond(out _);
            response.StatusCode = HttpStatusCode.ServiceUnavailable;
            return response;
        }
    }

    private sealed class Forgetful : HttpMessageHandler
    {
        protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken) =>
            Task.FromResult(ScriptedBody.Respond(out _));
    }
}
