using Poolhouse.Tool.Bench.Resources.Trials;

namespace Poolhouse.Tool.Bench.Resources;

/// <summary>Sessions that were opened together expire together.</summary>
internal sealed class MassExpiry : Scenario
{
    private const int MaxSize = 20;
    private const int Callers = 20;
    private const double Jitter = 0.5;
    private const double BurstSeconds = 0.1;
    private const string OpenRate = "sessions opened";
    private const string Burst = "Most opened in 100 ms";
    private const string LongestWait = "Longest wait";

    public override string Id => "resources-mass-expiry";

    public override string Title => "Lifetimes that end together";

    public override string Question => "When all sessions were opened at once, are they all replaced at once, again and again?";

    public override string Method =>
        "20 callers keep 20 sessions busy, 10 ms at a time; opening one takes 20 ms. The lifetime of a session is 1 s, so that "
        + "the measurement does not take hours. LifetimeJitter is 0.5, and 0 in the trial 'no jitter'; the rivals have none.";

    protected override IReadOnlyList<Plot> Plots =>
    [
        new(
            OpenRate,
            "Sessions opened (flatter is better)",
            "Sessions opened per second over time: peaks are load on the backend.",
            "per second"),
    ];

    public override IReadOnlyList<TrialPlan> Plan(BenchPlan plan, ScenarioPace pace, TimeProvider time) =>
    [
        new(RivalNames.Poolhouse, cancellation => RunAsync(Entrant.Poolhouse, Jitter, pace, time, cancellation)),
        new(
            RivalNames.PoolhouseWithoutJitter,
            cancellation => RunAsync(
                Entrant.Poolhouse with { Rival = RivalNames.PoolhouseWithoutJitter }, 0, pace, time, cancellation)),
        new(RivalNames.ChannelPool, cancellation => RunAsync(Entrant.Channel, 0, pace, time, cancellation)),
        new(RivalNames.HomeMadePool, cancellation => RunAsync(Entrant.HomeMade, 0, pace, time, cancellation)),
    ];

    public override string Promise => "at most half of the rivals' burst of new sessions";

    public override string? Figure => Burst;

    protected override Verdict JudgeAll(IReadOnlyList<Trial> trials)
    {
        var own = Of(trials, RivalNames.Poolhouse, Burst);
        var rivals = Math.Min(Of(trials, RivalNames.ChannelPool, Burst), Of(trials, RivalNames.HomeMadePool, Burst));
        return VerdictOf(
            own <= rivals / 2,
            $"Poolhouse opens at most {Units.Count(own)} sessions within 100 ms, without jitter "
            + $"{Units.Count(Of(trials, RivalNames.PoolhouseWithoutJitter, Burst))}, the others {Units.Count(rivals)} or more; "
            + $"its longest wait is {Finding.TextOf(Of(trials, RivalNames.Poolhouse, LongestWait), Quantity.Seconds)}.");
    }

    private static async Task<Trial> RunAsync(
        Entrant entrant, double jitter, ScenarioPace pace, TimeProvider time, CancellationToken cancellation)
    {
        // The shortest lifetime that the pool accepts; a tiny run ends long before.
        var settings = new PoolSettings(MaxSize) { MaxLifetime = TimeSpan.FromSeconds(1), LifetimeJitter = jitter };
        var end = pace.Choose(2600, 1100).TotalSeconds;
        var trial = new RunningTrial(entrant, settings, pace.Milliseconds(20), pace.Milliseconds(10), time, cancellation);
        await using var _ = trial.ConfigureAwait(false);
        await trial.Pool.FillAsync(MaxSize, cancellation).ConfigureAwait(false);
        trial.Journal.SetZero();
        trial.Loop(Callers, end, Timeout.InfiniteTimeSpan, TimeSpan.Zero);
        await trial.AllLeftAsync().ConfigureAwait(false);
        cancellation.ThrowIfCancellationRequested();
        var journal = trial.Journal;
        return new Trial(
            entrant.Rival,
            [new Curve(OpenRate, journal.Rates(TrialEvent.OpenBegun, end, (int)Math.Ceiling(end / (BurstSeconds / 2))))],
            [
                new Finding(Burst, journal.LargestBurst(TrialEvent.OpenBegun, BurstSeconds), Quantity.Count, Expectation.Less),
                new Finding(
                    LongestWait, journal.Largest(TrialEvent.Served), Quantity.Seconds, Expectation.Less),
                new Finding("Sessions opened", journal.Count(TrialEvent.OpenBegun), Quantity.Count, Expectation.None),
            ]);
    }
}
