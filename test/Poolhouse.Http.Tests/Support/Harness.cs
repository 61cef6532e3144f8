using Poolhouse.Testing;

namespace Poolhouse.Http.Tests.Support;

/// <summary>A bulkhead over a scripted handler, on a manual clock.</summary>
internal sealed class Harness : IDisposable
{
    public Harness(int endpointLimit, Action<BulkheadOptions>? configure = null)
    {
        var options = new BulkheadOptions { MaxPerEndpoint = endpointLimit, Name = "outgoing", TimeProvider = Clock };
        configure?.Invoke(options);
        Handler = new BulkheadHandler(options, Inner);
        Client = new HttpClient(Handler) { Timeout = Timeout.InfiniteTimeSpan };
    }

    public ManualTimeProvider Clock { get; } = new();

    public ScriptedHandler Inner { get; } = new();

    public BulkheadHandler Handler { get; }

    public HttpClient Client { get; }

    public Bulkhead Bulkhead => Handler.Bulkhead;

    public BulkheadStatistics Now => Bulkhead.GetStatistics();

    /// <summary>Sends a request and returns when its headers are there.</summary>
    public Task<HttpResponseMessage> SendAsync(
        string address = "http://server/", CancellationToken cancellationToken = default) =>
        Client.GetAsync(new Uri(address), HttpCompletionOption.ResponseHeadersRead, cancellationToken);

    /// <summary>Starts a request whose response does not end yet.</summary>
    public async Task<HttpResponseMessage> OccupyAsync(string address = "http://server/")
    {
        var number = Inner.Sent.Count;
        var sending = SendAsync(address);
        (await Inner.ComesAsync(number)).Respond(ScriptedBody.Respond(out _));
        return await Patience.WithinAsync(sending);
    }

    public void AssertUnderWay(int count) => Assert.Equal(count, Now.Leased);

    public void Dispose() => Client.Dispose();
}
