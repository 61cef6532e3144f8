using Poolhouse.Http;
using Poolhouse.Tool.Bench.Charts;
using Poolhouse.Tool.Bench.Resources;
using Poolhouse.Tool.Bench.Resources.Trials;

namespace Poolhouse.Tool.Bench.Http.Studies;

/// <summary>The well-known problem of HttpClient: one for each request, compared with one for all.</summary>
internal sealed class HttpSockets : HttpScenario
{
    private const int Callers = 8;
    private const int Connections = 4;
    private const string Opened = "sockets opened";
    private const string Sockets = "Sockets opened";
    private const string Median = "Median";
    private const string Slow = "99th percentile";
    private const string Bytes = "Bytes a request, both sides";

    public override string Id => "http-sockets";

    public override string Title => "A client for each request, and one for all";

    public override string Question => "How many sockets does a service see, and how many remain afterwards?";

    public override string Method =>
        "8 callers repeatedly request 5 bytes from a Kestrel server in the same process over HTTP/1.1. 'new HttpClient' "
        + "creates and disposes a client for each request; 'one HttpClient' has defaults; Poolhouse is a BulkheadHandler "
        + "with MaxPerEndpoint 4 over a SocketsHttpHandler with MaxConnectionsPerServer 4; 'shards' are 4 of them with a "
        + "connection each. Sockets are counted by the service, those in TIME_WAIT by the system if it shows them, right "
        + "after the last request. Bytes are of client and service together, without the callers' first round.";

    protected override IReadOnlyList<string> Contestants =>
        [RivalNames.Poolhouse, RivalNames.PoolhouseShards, RivalNames.OneClient, RivalNames.NewClient];

    protected override IReadOnlyList<Plot> Plots =>
    [
        new(Opened, "Sockets opened so far (fewer is better)", "Sockets that the service has accepted, over time.", Opened)
        {
            Baseline = new Tick(Connections, "configured"),
        },
    ];

    public override string Promise => $"no more than the {Connections} configured sockets";

    public override string? Figure => Sockets;

    protected override Verdict JudgeAll(IReadOnlyList<Trial> trials)
    {
        var own = Of(trials, RivalNames.Poolhouse, Sockets);
        var shards = Of(trials, RivalNames.PoolhouseShards, Sockets);
        return VerdictOf(
            own == Connections && shards == Connections,
            $"The service sees {Units.Count(own)} sockets of the bulkhead and {Units.Count(shards)} of the shards "
            + $"(configured: {Connections}), {Units.Count(Of(trials, RivalNames.OneClient, Sockets))} of one HttpClient, "
            + $"{Units.Count(Of(trials, RivalNames.NewClient, Sockets))} of a new one for each request.");
    }

    protected override async Task<Trial> RunAsync(
        string rival, ScenarioPace pace, TimeProvider time, CancellationToken cancellation)
    {
        var requests = pace switch { ScenarioPace.Full => 2_000, ScenarioPace.Quick => 800, _ => 40 };
        HttpCallers? callers = null;
        var service = await Service.StartAsync(
            time, TimeSpan.Zero, () => callers?.Journal.Note(TrialEvent.Opened), requested: null, cancellation)
                .ConfigureAwait(false);
        await using var _ = service.ConfigureAwait(false);
        using var handler = HandlerOf(rival);
        using var client = handler is null ? null : new HttpClient(handler);
#pragma warning disable CA2025 // All callers have ended before anything is disposed.
        callers = new HttpCallers(token => SendAsync(client, service.Address, token), time, cancellation);
#pragma warning restore CA2025
        var before = 0L;
        await Task.WhenAll(Enumerable.Range(0, Callers).Select(_ => Task.Run(CallAsync, cancellation))).ConfigureAwait(false);
        cancellation.ThrowIfCancellationRequested();
        var bytes = GC.GetTotalAllocatedBytes() - before;
        var journal = callers.Journal;
        var end = journal.Now;
        var done = journal.Of(TrialEvent.Done);
        var leftovers = TimeWait.Count(service.Port);
        return new Trial(
            rival,
            [new Curve(Opened, journal.Totals(TrialEvent.Opened, end, Steps))],
            [
                new Finding(Sockets, service.Sockets, Quantity.Count, Expectation.Less),
                .. leftovers is { } left
                    ? [new Finding("Sockets left in TIME_WAIT", left, Quantity.Count, Expectation.Less)]
                    : Array.Empty<Finding>(),
                new Finding("Requests", done.Count / end, Quantity.PerSecond, Expectation.None),
                new Finding(Median, Percentile(done, 0.5), Quantity.Seconds, Expectation.Less),
                new Finding(Slow, Percentile(done, 0.99), Quantity.Seconds, Expectation.Less),
                new Finding(Bytes, (double)bytes / requests, Quantity.Bytes, Expectation.None),
            ]);

        async Task CallAsync()
        {
            for (var i = 0; i < requests / Callers && !cancellation.IsCancellationRequested; i++)
            {
                await callers.VisitAsync(TimeSpan.FromSeconds(10), cancellation).ConfigureAwait(false);
                Interlocked.CompareExchange(ref before, GC.GetTotalAllocatedBytes(), 0);
            }
        }
    }

    private static HttpMessageHandler? HandlerOf(string rival) => rival switch
    {
        RivalNames.Poolhouse => new BulkheadHandler(
            new BulkheadOptions { MaxPerEndpoint = Connections },
            new SocketsHttpHandler { MaxConnectionsPerServer = Connections }),
        RivalNames.PoolhouseShards => new ShardedHandler(new ShardedHandlerOptions
        {
            Shards = Connections,
            CreateHandler = static () => new SocketsHttpHandler { MaxConnectionsPerServer = 1 },
        }),
        RivalNames.OneClient => new SocketsHttpHandler(),
        _ => null,
    };

    private static async Task SendAsync(HttpClient? client, Uri address, CancellationToken cancellation)
    {
        using var own = client is null ? new HttpClient() : null;
        using var response = await (client ?? own!).GetAsync(address, cancellation).ConfigureAwait(false);
    }
}
