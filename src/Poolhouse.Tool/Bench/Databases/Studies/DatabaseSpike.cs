using Poolhouse.Tool.Bench.Resources;
using Poolhouse.Tool.Bench.Resources.Trials;

namespace Poolhouse.Tool.Bench.Databases.Studies;

/// <summary>Many callers at once, for a moment, on a pool without a single connection.</summary>
internal sealed class DatabaseSpike(DatabaseKind kind) : ConsecutiveScenario(kind)
{
    private const int Crowd = 50;
    private const int SmallCrowd = 5;
    private const int Steps = 60;

    // Threads and server processes are started by the dozen meanwhile: a difference of a tenth and some milliseconds is noise.
    private const double Margin = 1.1;
    private const double SecondsOfNoise = 0.005;
    private const string Live = "live connections";
    private const string Waiting = "callers waiting";
    private const string LiveAtMost = "Connections, at most";
    private const string LiveAfterwards = "Connections afterwards";
    private const string LongestWait = "Longest wait";

    public override string Id => $"database-spike-{Kind.Slug()}";

    public override string Title => $"A spike of 50 callers on {Kind.Title()}";

    public override string Question => "When 50 callers arrive at once and no connection is open, how many are opened?";

    public override string Method =>
        "50 callers at the same moment, each with a query of some 2 ms, on a cold pool of at most 50 connections. "
        + "Connections are "
        + (Kind == DatabaseKind.PostgreSql
            ? "counted by the server every few milliseconds."
            : "counted as open files of this process, where the system shows them; callers are threads.");

    protected override IReadOnlyList<string> Contestants => [RivalNames.Poolhouse, RivalNames.ProviderPool, RivalNames.NoPool];

    protected override IReadOnlyList<Plot> Plots =>
    [
        new(Live, "Live connections (fewer is better)", "Connections that are open, over time.", Live),
        new(Waiting, "Callers that wait (fewer is better)", "Callers that wait for a connection, over time.", Waiting),
    ];

    public override string Promise => "no more connections left than the provider's pool leaves, and no longer waits than without a pool";

    public override string? Figure => LongestWait;

    protected override Verdict JudgeAll(IReadOnlyList<Trial> trials)
    {
        var live = Of(trials, RivalNames.Poolhouse, LiveAfterwards);
        var wait = Of(trials, RivalNames.Poolhouse, LongestWait);
        var waitWithOneEach = Of(trials, RivalNames.NoPool, LongestWait);
        var rival = Of(trials, RivalNames.ProviderPool, LiveAfterwards);
        var counts = double.IsNaN(live)
            ? "Connections cannot be counted here"
            : $"Poolhouse leaves {Units.Count(live)} connections behind, the provider's pool {Units.Count(rival)}";
        return VerdictOf(
            !(live > (rival * Margin) + 1) && wait <= Math.Max(waitWithOneEach * Margin, waitWithOneEach + SecondsOfNoise),
            $"{counts}; the longest wait is {Finding.TextOf(wait, Quantity.Seconds)}, with the provider's pool "
            + $"{Finding.TextOf(Of(trials, RivalNames.ProviderPool, LongestWait), Quantity.Seconds)}, with a connection opened for "
            + $"each caller {Finding.TextOf(waitWithOneEach, Quantity.Seconds)}.");
    }

    protected override async Task<Trial> RunAsync(
        string rival, Database database, ScenarioPace pace, TimeProvider time, CancellationToken cancellation)
    {
        // All of this takes only a moment, so the code must be compiled before.
        await RunAsync(rival, database, SmallCrowd, ScenarioPace.Tiny, time, cancellation).ConfigureAwait(false);
        return await RunAsync(rival, database, Crowd, pace, time, cancellation).ConfigureAwait(false);
    }

    private static async Task<Trial> RunAsync(
        string rival, Database database, int crowd, ScenarioPace pace, TimeProvider time, CancellationToken cancellation)
    {
        var tag = NewTag("spike");
        var source = database.Open(rival, new SourceSettings(Crowd, tag));
        var stage = new DatabaseStage(source, database.BriefQuery, !database.IsAsynchronous, time, cancellation);
        await using var _ = stage.ConfigureAwait(false);
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        database.CountConnections(tag);
        stage.Journal.SetZero();
        var counting = Task.Run(() => CountAsync(database, tag, stage.Journal, stop.Token), cancellation);
        stage.Crowd(crowd);
        await stage.AllLeftAsync().ConfigureAwait(false);

        // Connections whose opening began for callers that no longer need them must be counted too, and closed ones must have
        // ended.
        await stage.UntilAsync(stage.Journal.Now + pace.Choose(150, 100).TotalSeconds).ConfigureAwait(false);
        await stop.CancelAsync().ConfigureAwait(false);
        var counts = await counting.ConfigureAwait(false);
        cancellation.ThrowIfCancellationRequested();
        return Summarise(rival, stage.Journal, counts);
    }

    private static async Task<List<CurvePoint>> CountAsync(
        Database database, string tag, Journal journal, CancellationToken stop)
    {
        var counts = new List<CurvePoint>();
        while (database.CountConnections(tag) is { } count)
        {
            counts.Add(new CurvePoint(journal.Now, count));
            if (stop.IsCancellationRequested)
            {
                break;
            }

            await Task.Delay(TimeSpan.FromMilliseconds(4), CancellationToken.None).ConfigureAwait(false);
        }

        return counts;
    }

    private static Trial Summarise(string rival, Journal journal, List<CurvePoint> counts)
    {
        var served = journal.Of(TrialEvent.Served);
        var end = journal.Now;
        List<Finding> findings = [];
        if (counts.Count > 0)
        {
            findings.Add(new Finding(LiveAtMost, counts.Max(point => point.Y), Quantity.Count, Expectation.Less));
            findings.Add(
                new Finding(
                    LiveAfterwards, counts[^1].Y, Quantity.Count,
                    rival == RivalNames.NoPool ? Expectation.None : Expectation.Less));
        }

        findings.Add(new Finding(
            LongestWait, served.Count == 0 ? double.PositiveInfinity : journal.Largest(TrialEvent.Served), Quantity.Seconds,
            Expectation.Less));
        findings.Add(new Finding("Callers that failed", journal.Count(TrialEvent.Refused), Quantity.Count, Expectation.Less));
        return new Trial(
            rival,
            [new Curve(Live, counts), new Curve(Waiting, journal.Levels(Journal.Waiting, end, Steps))],
            findings);
    }
}
