using Poolhouse.Samples.WebBench;
using Poolhouse.Tool.Bench.Charts;
using Poolhouse.Tool.Bench.Databases;
using Poolhouse.Tool.Bench.Resources;

namespace Poolhouse.Tool.Bench.Web;

/// <summary>
/// One of the four database tests of TechEmpower's web benchmarks, on Kestrel and PostgreSQL, under the load of <c>wrk</c>.
/// </summary>
internal sealed class WebDatabase(string id, string test, string path) : Scenario
{
    private const int PoolSize = 32;
    private const int Many = 64;
    private const double Par = 0.95;
    private const string Throughput = "throughput";
    private const string Median = "p50";
    private const string Slow = "p99";
    private const string Failed = "Failed";
    private const string AtMany = "Requests with most connections";

    private static readonly (string Rival, string Way)[] _contestants =
    [
        (RivalNames.Poolhouse, Ways.Source), (RivalNames.ProviderPool, Ways.Own), (RivalNames.PoolhouseLease, Ways.Leases),
        (RivalNames.EfPoolhouse, Ways.EfLeases), (RivalNames.EfProviderPool, Ways.EfOwn),
    ];

    private static int _tags;

    public override string Id => id;

    public override string Group => Catalog.WebGroup;

    public override string Title => $"Web application: {test}";

    public override string Question => "How does the pool affect a whole web application?";

    public override string Method =>
        $"The test '{test}' of TechEmpower's web benchmarks on Kestrel in this process and PostgreSQL, all on this "
        + $"machine, under the load of wrk: {path}. The pool has 32 connections. Poolhouse is a PooledDataSource, 'leased' a "
        + "DbConnectionPool; 'EF leased' is Entity Framework Core on the latter, and 'EF own' on Npgsql's pool.";

    public override DatabaseKind? Needs => DatabaseKind.PostgreSql;

    protected override IReadOnlyList<Plot> Plots =>
    [
        PlotOf(Throughput, "Requests a second (more is better)", "per second", Units.Digits),
        PlotOf(Median, "Median latency (less is better)", "time", seconds => Units.Duration(seconds * 1e9)),
        PlotOf(Slow, "99th percentile (less is better)", "time", seconds => Units.Duration(seconds * 1e9)),
    ];

    public override IReadOnlyList<TrialPlan> Plan(BenchPlan plan, ScenarioPace pace, TimeProvider time) =>
    [
        .. _contestants.Select(each => new TrialPlan(
            each.Rival, cancellation =>
                RunAsync(each.Rival, each.Way, (PostgresDatabase)plan.Databases[DatabaseKind.PostgreSql], pace, cancellation))),
    ];

    /// <summary>
    /// Separate charts with and without Entity Framework Core: five lines in one chart are hard to distinguish.
    /// </summary>
    public override IReadOnlyList<ChartGroup> Draw(IReadOnlyList<Trial> trials) =>
    [
        .. GroupOf("ADO.NET", "ado", trials, rival => !IsEf(rival)),
        .. GroupOf("Entity Framework Core", "ef", trials, IsEf),
    ];

    public override string Promise => "at least 95 % of the requests that Npgsql's pool answers, and none fails";

    public override string? Figure => AtMany;

    protected override Verdict JudgeAll(IReadOnlyList<Trial> trials)
    {
        var sizes = PointsOf(RivalNames.Poolhouse).Select(point => point.X).ToList();
        double[] plain = RatiosOf(RivalNames.Poolhouse, RivalNames.ProviderPool);
        double[] leased = RatiosOf(RivalNames.PoolhouseLease, RivalNames.ProviderPool);
        double[] entities = RatiosOf(RivalNames.EfPoolhouse, RivalNames.EfProviderPool);
        return VerdictOf(
            plain.Concat(leased).Concat(entities).All(ratio => ratio >= Par)
                && trials.All(trial => trial.FindingOf(Failed)!.Value == 0),
            $"{RangeOf(plain)} of the requests with Npgsql's pool, {RangeOf(leased)} with leased connections, " +
            $"{RangeOf(entities)} with Entity Framework Core, at {Units.Count(sizes[0])} to {Units.Count(sizes[^1])} connections.");

        IReadOnlyList<CurvePoint> PointsOf(string rival) =>
            trials.First(trial => trial.Rival == rival).CurveOf(Throughput)!.Points;

        double[] RatiosOf(string own, string rival) =>
            [.. PointsOf(own).Zip(PointsOf(rival), (one, other) => one.Y / other.Y)];

        static string RangeOf(double[] ratios) => $"{Units.Ratio(ratios.Min())} to {Units.Ratio(ratios.Max())}";
    }

    /// <summary>Runs a load, and again for twice as long while no request has ended, as on a busy machine.</summary>
    private static async Task<(WebLoad Load, double BytesPerRequest, int Sessions)> MeasureAsync(
        PostgresDatabase database, string tag, string url, int connections, TimeSpan duration, CancellationToken cancellation)
    {
        var before = GC.GetTotalAllocatedBytes();
        var running = Wrk.RunAsync(url, connections, duration, cancellation);

        // In the middle: the requests that wrk abandons at its end take their connections with them.
        await Task.Delay(duration / 2, cancellation).ConfigureAwait(false);
        var sessions = database.CountConnections(tag) ?? 0;
        var load = await running.ConfigureAwait(false);
        return load.Requests + load.Errors == 0
            ? await MeasureAsync(database, tag, url, connections, 2 * duration, cancellation).ConfigureAwait(false)
            : (load, (GC.GetTotalAllocatedBytes() - before) / (double)Math.Max(1, load.Requests), sessions);
    }

    private static async Task<Trial> RunAsync(
        string rival, string way, PostgresDatabase database, ScenarioPace pace, string path, string tag,
        CancellationToken cancellation)
    {
        var connectionString = database.ConnectionStringFor(tag);
        await WorldApp.SeedAsync(connectionString, cancellation).ConfigureAwait(false);
        var store = Ways.Open(way, connectionString, PoolSize);
        await using var _ = store.ConfigureAwait(false);
        var app = WorldApp.Build(store);
        await using var __ = app.ConfigureAwait(false);
        await app.StartAsync(cancellation).ConfigureAwait(false);
        var url = app.Urls.First() + path;

        // The first request compiles the queries and builds the model of Entity Framework Core, which can take seconds.
        using (var client = new HttpClient())
        {
            using var first = await client.GetAsync(new Uri(url), cancellation).ConfigureAwait(false);
            first.EnsureSuccessStatusCode();
        }

        if (pace != ScenarioPace.Tiny)
        {
            await Wrk.RunAsync(url, Many, TimeSpan.FromSeconds(1), cancellation).ConfigureAwait(false);
        }

        var sessions = 0;
        var loads = new List<(int Connections, WebLoad Load, double Bytes)>();
        foreach (var connections in SizesOf(pace))
        {
            var (load, bytes, open) = await MeasureAsync(
                database, tag, url, connections, pace.Choose(2000, 1000), cancellation).ConfigureAwait(false);
            sessions = Math.Max(sessions, open);
            loads.Add((connections, load, bytes));
        }

        var many = loads.Find(each => each.Connections >= Many) is { Load: not null } found ? found : loads[^1];
        return new Trial(
            rival,
            [
                CurveOf(Throughput, load => load.PerSecond),
                CurveOf(Median, load => load.Median),
                CurveOf(Slow, load => load.Slow),
            ],
            [
                new Finding(
                    AtMany, many.Load.PerSecond, Quantity.PerSecond, Expectation.More),
                new Finding("p99 there", many.Load.Slow, Quantity.Seconds, Expectation.Less),
                new Finding("p99.9 there", many.Load.Slowest, Quantity.Seconds, Expectation.Less),
                new Finding("Bytes a request", many.Bytes, Quantity.Bytes, Expectation.Less),
                new Finding("On the server", sessions, Quantity.Count, Expectation.None),
                new Finding(Failed, loads.Sum(each => each.Load.Errors), Quantity.Count, Expectation.Less),
            ]);

        Curve CurveOf(string name, Func<WebLoad, double> value) =>
            new(name, [.. loads.Select(each => new CurvePoint(each.Connections, value(each.Load)))]);
    }

    private static bool IsEf(string rival) => rival is RivalNames.EfPoolhouse or RivalNames.EfProviderPool;

    private IEnumerable<ChartGroup> GroupOf(string heading, string suffix, IReadOnlyList<Trial> trials, Predicate<string> isIn)
    {
        Trial[] chosen = [.. trials.Where(trial => isIn(trial.Rival))];
        return chosen.Length == 0
            ? []
            : [new ChartGroup(
                heading, [.. Plots.Select(plot => plot.Draw($"{Id}-{suffix}-{plot.Curve}", chosen)).OfType<LineChart>()])];
    }

    private static int[] SizesOf(ScenarioPace pace) => pace switch
    {
        ScenarioPace.Full => [1, 8, 64, 256, 512],
        ScenarioPace.Quick => [1, 64, 256],
        _ => [8],
    };

    private static Plot PlotOf(string curve, string title, string unit, Func<double, string> label) =>
        new(curve, title, $"{title}, by connections of the load.", unit)
        {
            XTitle = "connections of the load",
            IsLogarithmic = true,
            YLabel = label,
        };

    private Task<Trial> RunAsync(
        string rival, string way, PostgresDatabase database, ScenarioPace pace, CancellationToken cancellation) =>
        RunAsync(
            rival, way, database, pace, path, $"poolhouse web {Units.Count(Interlocked.Increment(ref _tags))}", cancellation);
}
