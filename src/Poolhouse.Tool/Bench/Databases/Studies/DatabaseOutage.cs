using Poolhouse.Tool.Bench.Charts;
using Poolhouse.Tool.Bench.Resources;
using Poolhouse.Tool.Bench.Resources.Trials;
using Poolhouse.Tool.Servers;

namespace Poolhouse.Tool.Bench.Databases.Studies;

/// <summary>A real server is stopped and started again while callers continue to arrive.</summary>
internal sealed class DatabaseOutage() : ConsecutiveScenario(DatabaseKind.PostgreSql)
{
    private const int MaxSize = 10;
    private const double CallersPerSecond = 100;
    private const int Steps = 60;
    private const double LongestRetryDelay = 400;

    // A timer and a new server process at the least; the delay itself is the promise.
    private const double SecondsToOpen = 0.1;
    private const string ServedRate = "callers served";
    private const string FailedRate = "callers that failed";
    private const string Recovery = "First served after";
    private const string FailedLater = "Failed when it was back";
    private const string Failed = "Callers that failed";

    public override string Id => "database-outage-postgresql";

    public override string Title => "PostgreSQL stopped and started";

    public override string Question => "When the server is back, how soon is it used again, and how many callers saw an error?";

    public override bool StopsServer => true;

    public override string Method =>
        "100 callers a second open a connection, SELECT 1, and close it; each waits for a connection for at most 250 ms. "
        + "At most 10 connections. The server is stopped (its sessions are ended with an error) and a second later started. "
        + "Poolhouse's MaxRetryDelay is 400 ms, because the outage lasts a second, not minutes.";

    protected override IReadOnlyList<string> Contestants => [RivalNames.Poolhouse, RivalNames.ProviderPool, RivalNames.NoPool];

    protected override IReadOnlyList<Plot> Plots =>
    [
        new(ServedRate,
            "Callers served (more is better)", "Callers whose query was answered, per second over time.", "per second"),
        new(FailedRate,
            "Callers that failed (fewer is better)", "Callers that saw an error, per second over time.", "per second"),
    ];

    public override string Promise => "callers are served within one MaxRetryDelay of the server's return";

    public override string? Figure => Recovery;

    protected override Verdict JudgeAll(IReadOnlyList<Trial> trials)
    {
        var recovery = Of(trials, RivalNames.Poolhouse, Recovery);
        var late = Of(trials, RivalNames.Poolhouse, FailedLater);
        return VerdictOf(
            recovery <= (LongestRetryDelay / 1000) + SecondsToOpen
                && late <= CallersPerSecond * ((LongestRetryDelay / 1000) + SecondsToOpen),
            $"Poolhouse serves again {Finding.TextOf(recovery, Quantity.Seconds)} after the server is back (its longest "
            + $"pause: {Finding.TextOf(LongestRetryDelay / 1000, Quantity.Seconds)}), the provider's pool after "
            + $"{Finding.TextOf(Of(trials, RivalNames.ProviderPool, Recovery), Quantity.Seconds)}; errors: "
            + $"{Units.Count(Of(trials, RivalNames.Poolhouse, Failed))} and "
            + $"{Units.Count(Of(trials, RivalNames.ProviderPool, Failed))}.");
    }

    protected override async Task<Trial> RunAsync(
        string rival, Database database, ScenarioPace pace, TimeProvider time, CancellationToken cancellation)
    {
        var server = ((PostgresDatabase)database).Server
            ?? throw new InvalidOperationException("A server that was not started by this run is not stopped.");
        var settings = new SourceSettings(MaxSize, NewTag("outage")) { MaxRetryDelay = pace.Milliseconds(LongestRetryDelay) };
        var stage = new DatabaseStage(
            database.Open(rival, settings), database.SmallQuery, areThreads: false, time, cancellation);
        await using var _ = stage.ConfigureAwait(false);
        await stage.VisitAsync(TimeSpan.FromSeconds(10), cancellation).ConfigureAwait(false);
        stage.Journal.SetZero();
        using var end = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        var callers = stage.StreamUntilAsync(
            CallersPerSecond, () => stage.VisitAsync(pace.Milliseconds(250), cancellation), end.Token);
        await stage.UntilAsync(pace.Choose(500, 250).TotalSeconds).ConfigureAwait(false);
        var down = stage.Journal.Now;
        await server.StopAsync().ConfigureAwait(false);
        await stage.UntilAsync(down + pace.Choose(1000, 500).TotalSeconds).ConfigureAwait(false);
        await server.StartAgainAsync(cancellation).ConfigureAwait(false);
        var back = stage.Journal.Now;
        await stage.UntilAsync(back + pace.Choose(1300, 800).TotalSeconds).ConfigureAwait(false);
        await end.CancelAsync().ConfigureAwait(false);
        await callers.ConfigureAwait(false);
        await stage.AllLeftAsync().ConfigureAwait(false);
        cancellation.ThrowIfCancellationRequested();
        return Summarise(rival, stage.Journal, down, back);
    }

    private static Trial Summarise(string rival, Journal journal, double down, double back)
    {
        var end = journal.Now;
        var answered = journal.Of(TrialEvent.Done, back);
        var failed = journal.Count(TrialEvent.Refused) + journal.Count(TrialEvent.UseFailed);
        var failedLater = journal.Count(TrialEvent.Refused, back) + journal.Count(TrialEvent.UseFailed, back);
        var errors = journal.Rates(TrialEvent.Refused, end, Steps).Zip(
            journal.Rates(TrialEvent.UseFailed, end, Steps), (refused, broken) => refused with { Y = refused.Y + broken.Y });
        return new Trial(
            rival,
            [new Curve(ServedRate, journal.Rates(TrialEvent.Done, end, Steps)), new Curve(FailedRate, [.. errors])],
            [
                new Finding(
                    Recovery, answered.Count == 0 ? double.PositiveInfinity : answered[0].At - back, Quantity.Seconds,
                    Expectation.Less),
                new Finding(Failed, failed, Quantity.Count, Expectation.Less),
                new Finding(FailedLater, failedLater, Quantity.Count, Expectation.Less),
                new Finding("Callers answered", journal.Count(TrialEvent.Done), Quantity.Count, Expectation.More),
            ])
        {
            Band = new Band(down, back, "down"),
        };
    }
}
