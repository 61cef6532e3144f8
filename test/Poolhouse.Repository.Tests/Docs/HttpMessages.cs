using Poolhouse.Http;
using Poolhouse.Testing;

namespace Poolhouse.Repository.Tests.Docs;

/// <summary>Makes the handlers for HTTP throw each of their messages, once.</summary>
internal static class HttpMessages
{
    public static IReadOnlyDictionary<string, Action> All { get; } = new Dictionary<string, Action>(StringComparer.Ordinal)
    {
        ["bulkhead: queue full"] = () => SendTwo("http://one/", "http://one/", options => options.MaxWaiters = 0),
        ["bulkhead: queue full, others hold all permits"] = () => SendSeveral(
            "http://one/", ["http://two/", "http://two/"],
            options => (options.MaxPerEndpoint, options.MaxTotal, options.MaxWaiters) = (2, 1, 0)),
        ["bulkhead: queue full, suspended"] = () => SendWhileSuspended(maxWaiters: 0),
        ["bulkhead: endpoint busy"] = () => SendTwo("http://one/", "http://one/"),
        ["bulkhead: others hold all places"] =
            () => SendTwo("http://one/", "http://two/", options => (options.MaxPerEndpoint, options.MaxTotal) = (2, 1)),
        ["bulkhead: suspended"] = () => SendWhileSuspended(maxWaiters: 1),
        ["bulkhead: shed"] = () => SendTwo("http://one/", "http://one/", options => options.Overload = new OverloadOptions()),
        ["shards: no handler"] =
            () => new ShardedHandler(new ShardedHandlerOptions { Shards = 1, CreateHandler = static () => null! }),
        ["shards: invalid options"] = () => new ShardedHandler(new ShardedHandlerOptions { Shards = 0 }),
        ["warm-up: too late"] = WarmUpInVain,
        ["warm-up: cancelled by a handler"] = WarmUpCancelled,
        ["warm-up: relative address"] = WarmUpWithoutHost,
        ["bulkhead: invalid options"] = () => new Bulkhead(new BulkheadOptions { MaxPerEndpoint = 0 }),
    };

    private static void SendTwo(string first, string second, Action<BulkheadOptions>? change = null) =>
        SendSeveral(first, [second], change);

    /// <summary>Sends others while the body of the first one's response has not ended, and lets time pass.</summary>
    private static void SendSeveral(string first, string[] others, Action<BulkheadOptions>? change)
    {
        var clock = new ManualTimeProvider();
        var options = new BulkheadOptions
        {
            MaxPerEndpoint = 1,
            Name = "house",
            RentTimeout = TimeSpan.FromSeconds(2),
            TimeProvider = clock,
        };
        change?.Invoke(options);
        using var client = new HttpMessageInvoker(new BulkheadHandler(options, new Endless()));
        using var response = Send(client, first).GetAwaiter().GetResult();
        var waiting = others.Select(address => Send(client, address)).ToList();
        clock.Advance(TimeSpan.FromSeconds(2));
        waiting[^1].GetAwaiter().GetResult();
    }

    private static void SendWhileSuspended(int maxWaiters)
    {
        var clock = new ManualTimeProvider();
        using var bulkhead = new Bulkhead(
            new BulkheadOptions { MaxPerEndpoint = 1, MaxWaiters = maxWaiters, Name = "house", TimeProvider = clock });
        using var client = new HttpMessageInvoker(new BulkheadHandler(bulkhead, new Endless()));
        Send(client, "http://one/").GetAwaiter().GetResult().Dispose();
        bulkhead.Suspend();
        var waiting = Send(client, "http://one/");
        clock.Advance(TimeSpan.FromSeconds(30));
        waiting.GetAwaiter().GetResult();
    }

    private static void WarmUpInVain()
    {
        using var client = new HttpMessageInvoker(new Silent());
        client.WarmUpAsync(new Uri("http://one/"), 1, new HttpWarmUpOptions { Timeout = TimeSpan.FromMilliseconds(1) })
            .GetAwaiter().GetResult();
    }

    private static void WarmUpCancelled()
    {
        using var client = new HttpMessageInvoker(new Cancelling());
        client.WarmUpAsync(new Uri("http://one/"), 1).GetAwaiter().GetResult();
    }

    private static void WarmUpWithoutHost()
    {
        using var client = new HttpMessageInvoker(new Silent());
        client.WarmUpAsync(new Uri("/one", UriKind.Relative), 1).GetAwaiter().GetResult();
    }

    private static async Task<HttpResponseMessage> Send(HttpMessageInvoker client, string address)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, new Uri(address));
        return await client.SendAsync(request, CancellationToken.None);
    }

    private sealed class Endless : HttpMessageHandler
    {
        protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken) =>
            Task.FromResult(new HttpResponseMessage { Content = new StringContent("hello") });
    }

    private sealed class Cancelling : HttpMessageHandler
    {
        protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken) =>
            Task.FromException<HttpResponseMessage>(new TaskCanceledException("Too slow.", new TimeoutException()));
    }

    private sealed class Silent : HttpMessageHandler
    {
        protected override async Task<HttpResponseMessage> SendAsync(
            HttpRequestMessage request, CancellationToken cancellationToken)
        {
            await new TaskCompletionSource().Task.WaitAsync(cancellationToken);
            return new HttpResponseMessage();
        }
    }
}
