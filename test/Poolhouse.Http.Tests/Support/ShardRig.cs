using System.Collections.Concurrent;
using System.Net;
using Poolhouse.Testing;

namespace Poolhouse.Http.Tests.Support;

/// <summary>A sharded handler over scripted handlers, on a manual clock, with addresses that the test sets.</summary>
internal sealed class ShardRig : IDisposable
{
    private readonly ConcurrentQueue<ScriptedHandler> _made = new();
    private IReadOnlyCollection<IPAddress> _addresses = [IPAddress.Loopback];

    public ShardRig(int shards, Action<ShardedHandlerOptions>? configure = null)
    {
        var options =
            new ShardedHandlerOptions { Shards = shards, CreateHandler = Make, Resolve = ResolveAsync, TimeProvider = Clock };
        configure?.Invoke(options);
        Handler = new ShardedHandler(options);
        Client = new HttpClient(Handler) { Timeout = Timeout.InfiniteTimeSpan };
    }

    public ManualTimeProvider Clock { get; } = new();

    public ShardedHandler Handler { get; }

    public HttpClient Client { get; }

    /// <summary>The inner handlers in the order in which they were made.</summary>
    public IReadOnlyList<ScriptedHandler> Made => [.. _made];

    /// <summary>How many requests each inner handler got.</summary>
    public IEnumerable<int> Counts => _made.Select(handler => handler.Sent.Count);

    /// <summary>
    /// How handlers that are made from now on answer: with a body without an end, unless it is changed; null to leave the answer
    /// to the test.
    /// </summary>
    public Func<HttpRequestMessage, HttpResponseMessage>? Answer { get; set; } = static _ => ScriptedBody.Respond(out var _);

    /// <summary>What the next making throws, instead of a handler.</summary>
    public Exception? MakeFails { get; set; }

    /// <summary>What the next look-up throws, instead of addresses.</summary>
    public Exception? ResolveFails { get; set; }

    public int Resolved { get; private set; }

    public ShardedHandlerStatistics Now => Handler.GetStatistics();

    public void MoveTo(params string[] addresses) => _addresses = [.. addresses.Select(IPAddress.Parse)];

    /// <summary>Sends a request whose response has a body without an end.</summary>
    public async Task<HttpResponseMessage> OccupyAsync(string path = "/") =>
        await Patience.WithinAsync(Client.GetAsync(new Uri("http://server" + path), HttpCompletionOption.ResponseHeadersRead));

    public async Task SendAsync(string path = "/") => (await OccupyAsync(path)).Dispose();

    public void Dispose() => Client.Dispose();

    private ScriptedHandler Make()
    {
        if (MakeFails is { } failure)
        {
            throw failure;
        }

        var handler = new ScriptedHandler { Answer = Answer };
        _made.Enqueue(handler);
        return handler;
    }

    private ValueTask<IReadOnlyCollection<IPAddress>> ResolveAsync(string host, CancellationToken cancellationToken)
    {
        Resolved++;
        return ResolveFails is { } failure
            ? ValueTask.FromException<IReadOnlyCollection<IPAddress>>(failure)
            : new ValueTask<IReadOnlyCollection<IPAddress>>(_addresses);
    }
}
