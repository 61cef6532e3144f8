using Poolhouse.Tool.Bench.Resources.Trials;

namespace Poolhouse.Tool.Bench.Resources;

/// <summary>Callers give up sooner than a session can be opened.</summary>
internal sealed class SlowCreate : Scenario
{
    private const int MaxSize = 5;
    private const int Callers = 10;
    private const int Steps = 60;
    private const string Total = "callers served in all";
    private const string Served = "Callers served";

    public override string Id => "resources-slow-create";

    public override string Title => "Opening takes longer than callers wait";

    public override string Question => "Does a pool ever get a session when each caller gives up before it is open?";

    public override string Method =>
        "Opening a session takes 300 ms, 10 callers wait for 100 ms each, retry 20 ms after a failure, and use a session "
        + "for 5 ms; at most 5 sessions (jackc/pgx #1259). Where the caller opens the session itself, the opening is "
        + "cancelled with it.";

    protected override IReadOnlyList<Plot> Plots =>
        [new(Total, "Callers served in all (more is better)", "Callers served since the beginning, over time.", "callers")];

    public override IReadOnlyList<TrialPlan> Plan(BenchPlan plan, ScenarioPace pace, TimeProvider time) =>
    [
        .. Entrant.All.Select(entrant => new TrialPlan(
            entrant.Rival, cancellation => RunAsync(entrant, pace, time, cancellation))),
    ];

    public override string Promise => "callers are served at all";

    public override string? Figure => Served;

    protected override Verdict JudgeAll(IReadOnlyList<Trial> trials)
    {
        var served = Of(trials, RivalNames.Poolhouse, Served);
        return VerdictOf(
            served > 0,
            $"Poolhouse serves {Units.Count(served)} callers, the channel pool "
            + $"{Units.Count(Of(trials, RivalNames.ChannelPool, Served))}, "
            + $"the home-made one {Units.Count(Of(trials, RivalNames.HomeMadePool, Served))}.");
    }

    private static async Task<Trial> RunAsync(
        Entrant entrant, ScenarioPace pace, TimeProvider time, CancellationToken cancellation)
    {
        var end = pace.Choose(1400, 450).TotalSeconds;
        var settings = new PoolSettings(MaxSize);
        var trial = new RunningTrial(entrant, settings, pace.Milliseconds(300), pace.Milliseconds(5), time, cancellation);
        await using var _ = trial.ConfigureAwait(false);
        trial.Journal.SetZero();
        trial.Loop(Callers, end, patience: pace.Milliseconds(100), pause: pace.Milliseconds(20));
        await trial.AllLeftAsync().ConfigureAwait(false);
        cancellation.ThrowIfCancellationRequested();
        var journal = trial.Journal;
        var served = journal.Of(TrialEvent.Served);
        var first = served.Count == 0 ? double.PositiveInfinity : served[0].At;
        return new Trial(
            entrant.Rival,
            [new Curve(Total, journal.Totals(TrialEvent.Served, end, Steps))],
            [
                new Finding(Served, served.Count, Quantity.Count, Expectation.More),
                new Finding("Callers that gave up", journal.Count(TrialEvent.Refused), Quantity.Count, Expectation.Less),
                new Finding("First served after", first, Quantity.Seconds, Expectation.Less),
                new Finding("Openings begun", journal.Count(TrialEvent.OpenBegun), Quantity.Count, Expectation.Less),
            ]);
    }
}
