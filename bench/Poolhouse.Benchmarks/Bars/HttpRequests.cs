using System.Diagnostics;
using Poolhouse.Http;
using Poolhouse.Tool.Bench.Http;

namespace Poolhouse.Benchmarks.Bars;

/// <summary>
/// Requests with and without a bulkhead: over loopback to a Kestrel in this process, and to a handler that answers at once.
/// </summary>
internal static class HttpRequests
{
    // A request over loopback takes long, so fewer are enough.
    private const int GetsPerCall = 256;
    private const int GetsForBytes = 1_500;
    private const int RoundsForBytes = 7;
    private const int Callers = 8;
    private const int CallsEach = 50;

    private static readonly HttpMessageInvoker _sockets = new(new SocketsHttpHandler());
    private static readonly HttpMessageInvoker _guardedSockets = new(new BulkheadHandler(Options(), new SocketsHttpHandler()));
    private static readonly HttpMessageInvoker _echo = new(new EchoHandler());
    private static readonly HttpMessageInvoker _guardedEcho = new(new BulkheadHandler(Options(), new EchoHandler()));
    private static Service? _service;

    /// <summary>Started by the first bar that needs it; the bars run one after another.</summary>
    private static Service TheService =>
        _service ??= Service.StartAsync(
            TimeProvider.System, TimeSpan.Zero, connected: null, requested: null, CancellationToken.None)
            .GetAwaiter().GetResult();

    public static double NanosecondsOfAGet(int calls) => Run(_sockets, calls * GetsPerCall);

    public static double NanosecondsOfAGuardedGet(int calls) => Run(_guardedSockets, calls * GetsPerCall);

    /// <summary>What the bulkhead adds to a request that is answered at once, on another thread.</summary>
    public static double NanosecondsAdded(int calls) =>
        Math.Max(0, Run(_guardedEcho, calls * Timing.PairsPerCall) - Run(_echo, calls * Timing.PairsPerCall));

    /// <summary>Bytes that a GET over loopback allocates beyond the same without a bulkhead: the median of some rounds.</summary>
    public static double BytesAdded()
    {
        var added =
            Enumerable.Range(0, RoundsForBytes).Select(_ => BytesOf(_guardedSockets) - BytesOf(_sockets)).Order().ToList();
        return added[RoundsForBytes / 2];
    }

    public static (double Seen, double Configured) CountSockets()
    {
        var before = TheService.Sockets;
        using var bulkhead = new BulkheadHandler(
            new BulkheadOptions { MaxPerEndpoint = 3 }, new SocketsHttpHandler { MaxConnectionsPerServer = 3 });
        CallTogether(bulkhead);
        using var shards = new ShardedHandler(new ShardedHandlerOptions
        {
            Shards = 2,
            CreateHandler = static () => new SocketsHttpHandler { MaxConnectionsPerServer = 2 },
        });
        CallTogether(shards);
        return (TheService.Sockets - before, 3 + (2 * 2));
    }

    public static void Stop()
    {
        _service?.DisposeAsync().AsTask().GetAwaiter().GetResult();
        _service = null;
    }

    private static BulkheadOptions Options() => new() { MaxPerEndpoint = Callers };

    private static void CallTogether(HttpMessageHandler handler)
    {
        using var client = new HttpMessageInvoker(handler, disposeHandler: false);
#pragma warning disable CA2025 // All are waited for.
        Task.WhenAll(Enumerable.Range(0, Callers).Select(_ => SendAsync(client, CallsEach))).GetAwaiter().GetResult();
#pragma warning restore CA2025
    }

    private static double Run(HttpMessageInvoker client, int requests)
    {
        var address = TheService.Address;
        var start = Stopwatch.GetTimestamp();
        SendAsync(client, requests, address).GetAwaiter().GetResult();
        return Stopwatch.GetElapsedTime(start).TotalNanoseconds / requests;
    }

    private static double BytesOf(HttpMessageInvoker client)
    {
        var before = GC.GetTotalAllocatedBytes(precise: true);
        SendAsync(client, GetsForBytes).GetAwaiter().GetResult();
        return (GC.GetTotalAllocatedBytes(precise: true) - before) / (double)GetsForBytes;
    }

    private static Task SendAsync(HttpMessageInvoker client, int requests) => SendAsync(client, requests, TheService.Address);

    private static async Task SendAsync(HttpMessageInvoker client, int requests, Uri address)
    {
        for (var i = 0; i < requests; i++)
        {
            using var request = new HttpRequestMessage(HttpMethod.Get, address);
            using var response = await client.SendAsync(request, CancellationToken.None).ConfigureAwait(false);
            await response.Content.LoadIntoBufferAsync().ConfigureAwait(false);
        }
    }

    /// <summary>Answers five bytes, a moment later and on another thread, as a network does.</summary>
    private sealed class EchoHandler : HttpMessageHandler
    {
        private static readonly byte[] _answer = "hello"u8.ToArray();

        protected override async Task<HttpResponseMessage> SendAsync(
            HttpRequestMessage request, CancellationToken cancellationToken)
        {
            await Task.Yield();
            var response = new HttpResponseMessage { RequestMessage = request, Content = new ByteArrayContent(_answer) };
            response.Content.Headers.TryAddWithoutValidation("Content-Type", "text/plain");
            response.Content.Headers.TryAddWithoutValidation("Content-Length", "5");
            return response;
        }
    }
}
