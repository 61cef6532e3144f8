using Poolhouse.Tool.Bench.Charts;
using Poolhouse.Tool.Bench.Resources.Trials;

namespace Poolhouse.Tool.Bench.Resources;

/// <summary>HikariCP's spike demand: many callers at once, for a moment.</summary>
internal sealed class Spike : Scenario
{
    private const int Callers = 50;
    private const int MaxSize = 50;
    private const int MinIdle = 5;
    private const int MostLive = MinIdle + 1;
    private const int Steps = 60;
    private const string Live = "live sessions";
    private const string Waiting = "callers waiting";
    private const string LiveAtMost = "Live, at most";
    private const string LiveInTheEnd = "Live in the end";
    private const string LongestWait = "Longest wait";

    public override string Id => "resources-spike";

    public override string Title => "A spike of 50 callers";

    public override string Question => "When 50 callers arrive at once, does the pool open 50 sessions for a short peak?";

    public override string Method =>
        "The scenario of HikariCP's analysis of a spike demand: 50 callers at the same moment, opening a session takes "
        + "150 ms, using it 2 ms, at most 50 sessions, 5 of them idle when the callers arrive.";

    protected override IReadOnlyList<Plot> Plots =>
    [
        new(Live, "Live sessions (fewer is better)", "Sessions that are open or being opened, over time.", Live)
        {
            Baseline = new Tick(MostLive, "promised"),
        },
        new(Waiting, "Callers that wait (fewer is better)", "Callers that wait for a session, over time.", Waiting),
    ];

    public override IReadOnlyList<TrialPlan> Plan(BenchPlan plan, ScenarioPace pace, TimeProvider time) =>
    [
        .. Entrant.All.Select(entrant => new TrialPlan(entrant.Rival, async cancellation =>
        {
            // All of this takes only a moment, so the code must be compiled before.
            await RunAsync(entrant, ScenarioPace.Tiny, time, cancellation).ConfigureAwait(false);
            return await RunAsync(entrant, pace, time, cancellation).ConfigureAwait(false);
        })),
    ];

    public override string Promise => $"at most {MostLive} sessions, and no longer waits than for opening one";

    public override string? Figure => LiveAtMost;

    protected override Verdict JudgeAll(IReadOnlyList<Trial> trials)
    {
        var live = Of(trials, RivalNames.Poolhouse, LiveAtMost);
        var wait = Of(trials, RivalNames.Poolhouse, LongestWait);
        var waitWithOneEach = Of(trials, RivalNames.ChannelPool, LongestWait);
        return VerdictOf(
            live <= MostLive && wait <= waitWithOneEach,
            $"Poolhouse has at most {Units.Count(live)} sessions (promised: {MostLive}), the channel pool "
            + $"{Units.Count(Of(trials, RivalNames.ChannelPool, LiveAtMost))}; the longest wait is "
            + $"{Finding.TextOf(wait, Quantity.Seconds)}, with a session opened for each caller "
            + $"{Finding.TextOf(waitWithOneEach, Quantity.Seconds)}.");
    }

    private static async Task<Trial> RunAsync(
        Entrant entrant, ScenarioPace pace, TimeProvider time, CancellationToken cancellation)
    {
        var settings = new PoolSettings(MaxSize) { MinIdle = MinIdle };
        var trial = new RunningTrial(entrant, settings, pace.Milliseconds(150), pace.Milliseconds(2), time, cancellation);
        await using var _ = trial.ConfigureAwait(false);
        await trial.Pool.FillAsync(MinIdle, cancellation).ConfigureAwait(false);
        trial.Journal.SetZero();
        trial.Crowd(Callers);
        await trial.AllLeftAsync().ConfigureAwait(false);
        cancellation.ThrowIfCancellationRequested();

        // Sessions whose opening began for callers that no longer need them must be counted too.
        var end = pace.Choose(350, 220).TotalSeconds;
        await trial.UntilAsync(end).ConfigureAwait(false);
        var journal = trial.Journal;
        return new Trial(
            entrant.Rival,
            [
                new Curve(Live, journal.Levels(Journal.Live, end, Steps)),
                new Curve(Waiting, journal.Levels(Journal.Waiting, end, Steps)),
            ],
            [
                new Finding("Live before", journal.LevelAt(0, Journal.Live), Quantity.Count, Expectation.None),
                new Finding(LiveAtMost, journal.Peak(Journal.Live), Quantity.Count, Expectation.Less),
                new Finding(LiveInTheEnd, journal.LastLevel(Journal.Live), Quantity.Count, Expectation.Less),
                new Finding(LongestWait, journal.Largest(TrialEvent.Served), Quantity.Seconds, Expectation.Less),
                new Finding("All 50 served after", journal.Of(TrialEvent.Served)[^1].At, Quantity.Seconds, Expectation.Less),
            ]);
    }
}
