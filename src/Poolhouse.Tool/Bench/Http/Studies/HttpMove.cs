using System.Net;
using System.Net.Sockets;
using Poolhouse.Http;
using Poolhouse.Tool.Bench.Charts;
using Poolhouse.Tool.Bench.Resources;
using Poolhouse.Tool.Bench.Resources.Trials;

namespace Poolhouse.Tool.Bench.Http.Studies;

/// <summary>A service moves to another address under load; later the old server goes down.</summary>
internal sealed class HttpMove : HttpScenario
{
    private const double CallersPerSecond = 200;
    private const double Margin = 0.3;
    private const string OldRate = "requests to the old address";
    private const string SocketCurve = "sockets opened";
    private const string LeftAfter = "Old address left after";
    private const string Failed = "Requests that failed";
    private const string Sockets = "Sockets opened";

    // The handlers know no shorter one.
    private static readonly TimeSpan _interval = TimeSpan.FromSeconds(1);

    public override string Id => "http-move";

    public override string Title => "A service moves to another address";

    public override string Question => "When the addresses of a host change, how soon and at what cost do clients follow?";

    public override string Method =>
        "200 callers a second. After a second and a half the name leads to another server, and 1.7 s later the old one "
        + "closes its sockets. 'one HttpClient' keeps its connections; 'lifetime 1 s' is one whose PooledConnectionLifetime "
        + "is 1 s; Poolhouse is a ShardedHandler with 2 shards that looks the name up every second. A stub answers the "
        + "look-ups, which the rivals make for each new connection.";

    protected override IReadOnlyList<string> Contestants =>
        [RivalNames.Poolhouse, RivalNames.BlindLifetime, RivalNames.OneClient];

    protected override IReadOnlyList<Plot> Plots =>
    [
        new(
            OldRate,
            "Requests to the old address (fewer is better)",
            "Requests that reach the server which the name no longer leads to, per second over time.",
            "per second"),
        new(SocketCurve, "Sockets opened so far (fewer is better)", "Sockets opened to either server, over time.", SocketCurve),
    ];

    public override string Promise => "no failed request, and the old address is left within the interval between look-ups";

    public override string? Figure => LeftAfter;

    protected override Verdict JudgeAll(IReadOnlyList<Trial> trials)
    {
        var left = Of(trials, RivalNames.Poolhouse, LeftAfter);
        var failed = Of(trials, RivalNames.Poolhouse, Failed);
        return VerdictOf(
            failed == 0 && left <= _interval.TotalSeconds + Margin,
            $"Poolhouse has left the old address {LeftBy(RivalNames.Poolhouse)} after the move, with "
            + $"{Units.Count(failed)} failed requests and {SocketsOf(RivalNames.Poolhouse)} sockets; a lifetime of 1 s "
            + $"after {LeftBy(RivalNames.BlindLifetime)} with {SocketsOf(RivalNames.BlindLifetime)} sockets; one HttpClient "
            + $"after {LeftBy(RivalNames.OneClient)} with {Units.Count(Of(trials, RivalNames.OneClient, Failed))} failed.");

        string LeftBy(string rival) => Finding.TextOf(Of(trials, rival, LeftAfter), Quantity.Seconds);

        string SocketsOf(string rival) => Units.Count(Of(trials, rival, Sockets));
    }

    protected override async Task<Trial> RunAsync(
        string rival, ScenarioPace pace, TimeProvider time, CancellationToken cancellation)
    {
        HttpCallers? callers = null;
        var before = await Service.StartAsync(
            time, TimeSpan.Zero, Connected, () => callers?.Journal.Note(TrialEvent.OpenBegun), cancellation)
                .ConfigureAwait(false);
        await using var _ = before.ConfigureAwait(false);
        var after = await Service.StartAsync(time, TimeSpan.Zero, Connected, requested: null, cancellation).ConfigureAwait(false);
        await using var __ = after.ConfigureAwait(false);
        var port = before.Port;
        using var handler = HandlerOf(rival, () => Volatile.Read(ref port), time);
        using var client = new HttpClient(handler);
        var address = new Uri("http://service.test/");
        callers = new HttpCallers(token => client.GetByteArrayAsync(address, token), time, cancellation);
        using var end = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        var stream = callers.StreamUntilAsync(
            CallersPerSecond, () => callers.VisitAsync(TimeSpan.FromSeconds(2), cancellation), end.Token);
        await callers.UntilAsync(pace.Milliseconds(1_500).TotalSeconds).ConfigureAwait(false);
        var moved = callers.Journal.Now;
        Volatile.Write(ref port, after.Port);
        await callers.UntilAsync(moved + pace.Milliseconds(1_700).TotalSeconds).ConfigureAwait(false);
        var closed = callers.Journal.Now;
        await before.StopAsync().ConfigureAwait(false);
        await callers.UntilAsync(closed + pace.Milliseconds(500).TotalSeconds).ConfigureAwait(false);
        await end.CancelAsync().ConfigureAwait(false);
        await stream.ConfigureAwait(false);
        await callers.AllLeftAsync().ConfigureAwait(false);
        cancellation.ThrowIfCancellationRequested();
        return Summarise(rival, callers.Journal, moved, closed);

        void Connected() => callers?.Journal.Note(TrialEvent.Opened);
    }

    private static Trial Summarise(string rival, Journal journal, double moved, double closed)
    {
        var end = journal.Now;
        var late = journal.Of(TrialEvent.OpenBegun, moved);
        return new Trial(
            rival,
            [
                new Curve(OldRate, journal.Rates(TrialEvent.OpenBegun, end, Steps)),
                new Curve(SocketCurve, journal.Totals(TrialEvent.Opened, end, Steps)),
            ],
            [
                new Finding(LeftAfter, late.Count == 0 ? 0 : late[^1].At - moved, Quantity.Seconds, Expectation.Less),
                new Finding(Failed, journal.Count(TrialEvent.Refused), Quantity.Count, Expectation.Less),
                new Finding(Sockets, journal.Count(TrialEvent.Opened), Quantity.Count, Expectation.Less),
                new Finding("99th percentile", Percentile(journal.Of(TrialEvent.Done), 0.99), Quantity.Seconds, Expectation.Less),
            ])
        {
            Band = new Band(moved, closed, "moved"),
        };
    }

    private static HttpMessageHandler HandlerOf(string rival, Func<int> port, TimeProvider time) => rival switch
    {
        RivalNames.Poolhouse => new ShardedHandler(new ShardedHandlerOptions
        {
            Shards = 2,
            WatchedHosts = ["service.test"],
            ResolveInterval = _interval,

            // An address that differs if the port differs.
            Resolve = (_, _) => new ValueTask<IReadOnlyCollection<IPAddress>>([new IPAddress(port())]),
            CreateHandler = () => Connecting(port),
            TimeProvider = time,
        }),
        RivalNames.BlindLifetime => Connecting(port, _interval),
        _ => Connecting(port),
    };

    private static SocketsHttpHandler Connecting(Func<int> port, TimeSpan? lifetime = null) => new()
    {
        PooledConnectionLifetime = lifetime ?? Timeout.InfiniteTimeSpan,
        ConnectCallback = (_, cancellation) => ConnectAsync(port(), cancellation),
    };

    private static async ValueTask<Stream> ConnectAsync(int port, CancellationToken cancellation)
    {
        var socket = new Socket(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        try
        {
            await socket.ConnectAsync(new IPEndPoint(IPAddress.Loopback, port), cancellation).ConfigureAwait(false);
            return new NetworkStream(socket, ownsSocket: true);
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }
}
