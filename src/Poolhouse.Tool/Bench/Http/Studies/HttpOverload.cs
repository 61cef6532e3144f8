using Poolhouse.Http;
using Poolhouse.Tool.Bench.Charts;
using Poolhouse.Tool.Bench.Resources;
using Poolhouse.Tool.Bench.Resources.Trials;

namespace Poolhouse.Tool.Bench.Http.Studies;

/// <summary>A temporary overload of a service.</summary>
internal sealed class HttpOverload : HttpScenario
{
    private const int Waiters = 2 * Service.Workers;
    private const double Quiet = 150;
    private const double Much = 1_000;
    private const string Goodput = "answers in time";
    private const string SlowOnesCurve = "slowest answers";
    private const string During = "Answers in time during the overload";
    private const string Slow = "99th percentile of those";
    private const double LeastShare = 0.9;
    private const double LeastGain = 2;

    public override string Id => "http-overload";

    public override string Title => "An overloaded service";

    public override string Question => "How many requests does a service answer in time when it gets more than it can handle?";

    public override string Method =>
        "A service works on 8 requests at once at full speed (16 ms each, at most 500 a second); more share its workers "
        + "and take longer. 150 callers a second, in the middle 1,000, each gives up after 250 ms. 'no limit' is one "
        + "HttpClient; 'connection limit' is one with MaxConnectionsPerServer 8; Poolhouse is a BulkheadHandler with "
        + "MaxPerEndpoint 8 and MaxWaiters 16, and nothing else.";

    protected override IReadOnlyList<string> Contestants =>
        [RivalNames.Poolhouse, RivalNames.ConnectionLimit, RivalNames.NoLimit];

    protected override IReadOnlyList<Plot> Plots =>
    [
        new(
            Goodput,
            "Answers in time (more is better)",
            "Answers that came before their caller gave up, per second over time.",
            "per second"),
        new(
            SlowOnesCurve,
            "99th percentile of the answers (less is better)",
            "The time of the slowest answers that still came in time, over time.",
            "time")
        {
            YLabel = seconds => Units.Duration(seconds * 1e9),
        },
    ];

    public override string Promise => "at least twice as many answers in time as without a limit";

    public override string? Figure => During;

    protected override Verdict JudgeAll(IReadOnlyList<Trial> trials)
    {
        var own = Of(trials, RivalNames.Poolhouse, During);
        var limited = Of(trials, RivalNames.ConnectionLimit, During);
        var free = Of(trials, RivalNames.NoLimit, During);
        return VerdictOf(
            own >= free * LeastGain && own >= limited * LeastShare,
            $"At 1,000 requests a second, {Finding.TextOf(own, Quantity.PerSecond)} are answered in time with the bulkhead, "
            + $"{Finding.TextOf(limited, Quantity.PerSecond)} with a limit of connections, "
            + $"{Finding.TextOf(free, Quantity.PerSecond)} without a limit.");
    }

    protected override async Task<Trial> RunAsync(
        string rival, ScenarioPace pace, TimeProvider time, CancellationToken cancellation)
    {
        var service = await Service.StartAsync(
            time, pace.Milliseconds(16), connected: null, requested: null, cancellation).ConfigureAwait(false);
        await using var _ = service.ConfigureAwait(false);
        using var handler = HandlerOf(rival);
        using var client = new HttpClient(handler);
        var callers = new HttpCallers(token => client.GetByteArrayAsync(service.Address, token), time, cancellation);
        var patience = pace.Milliseconds(250);
        await callers.VisitAsync(TimeSpan.FromSeconds(10), cancellation).ConfigureAwait(false);
        callers.Journal.SetZero();
        var from = pace.Choose(600, 400).TotalSeconds;
        var to = from + pace.Choose(1_800, 1_000).TotalSeconds;
        var end = to + pace.Choose(900, 600).TotalSeconds;
        await callers.StreamAsync(Quiet, 0, from, VisitAsync).ConfigureAwait(false);
        await callers.StreamAsync(Much, from, to, VisitAsync).ConfigureAwait(false);
        await callers.StreamAsync(Quiet, to, end, VisitAsync).ConfigureAwait(false);
        await callers.AllLeftAsync().ConfigureAwait(false);
        cancellation.ThrowIfCancellationRequested();
        var journal = callers.Journal;

        // From when the first of the many may have given up.
        var settled = from + patience.TotalSeconds;
        var during = journal.Of(TrialEvent.Done, settled, to);
        return new Trial(
            rival,
            [new Curve(Goodput, journal.Rates(TrialEvent.Done, end, Steps)),
                new Curve(SlowOnesCurve, SlowOnes(journal, end, Steps / 2))],
            [
                new Finding(During, during.Count / (to - settled), Quantity.PerSecond, Expectation.More),
                new Finding(Slow, Percentile(during, 0.99), Quantity.Seconds, Expectation.Less),
                new Finding(
                    "Answers in time afterwards", journal.Count(TrialEvent.Done, to, end) / (end - to), Quantity.PerSecond,
                    Expectation.More),
                new Finding("Callers rejected or timed out", journal.Count(TrialEvent.Refused), Quantity.Count, Expectation.None),
            ])
        {
            Band = new Band(from, to, "too much"),
        };

        Task VisitAsync() => callers.VisitAsync(patience, cancellation);
    }

    private static HttpMessageHandler HandlerOf(string rival) => rival switch
    {
        RivalNames.Poolhouse => new BulkheadHandler(
            new BulkheadOptions { MaxPerEndpoint = Service.Workers, MaxWaiters = Waiters }, new SocketsHttpHandler()),
        RivalNames.ConnectionLimit => new SocketsHttpHandler { MaxConnectionsPerServer = Service.Workers },
        _ => new SocketsHttpHandler(),
    };
}
