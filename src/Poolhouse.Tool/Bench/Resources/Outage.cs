using Poolhouse.Tool.Bench.Charts;
using Poolhouse.Tool.Bench.Resources.Trials;

namespace Poolhouse.Tool.Bench.Resources;

/// <summary>The backend goes down and comes back while callers continue to arrive.</summary>
internal sealed class Outage : Scenario
{
    private const int MaxSize = 10;
    private const double CallersPerSecond = 200;
    private const int Steps = 56;
    private const double LongestRetryDelay = 400;

    // While callers wait, one attempt follows another after a quarter to a half of RetryDelay, which is 100 ms.
    private const double MostAttemptsPerSecond = 40;
    private const double LongestRecovery = 0.1;
    private const string AttemptRate = "attempts to open";
    private const string ServedRate = "callers served";
    private const string AttemptsWhileDown = "Attempts while down";
    private const string Recovery = "First served after";

    public override string Id => "resources-outage";

    public override string Title => "Backend down and back";

    public override string Question =>
        "While the backend is down, how often does a pool try to reach it, and how soon are callers served afterwards?";

    public override string Method =>
        "200 callers a second use a session for 10 ms; each waits for one for at most 250 ms. At most 10 sessions; opening one "
        + "takes 20 ms, or fails after 1 ms while the backend is down, and every session from before is broken. Poolhouse's "
        + "MaxRetryDelay is 400 ms, because the outage lasts a second, not minutes.";

    protected override IReadOnlyList<Plot> Plots =>
    [
        new(AttemptRate, "Attempts to open a session", "Attempts per second over time; fewer spare the backend.", "per second"),
        new(ServedRate, "Callers served (more is better)", "Callers that got a session, per second over time.", "per second"),
    ];

    public override IReadOnlyList<TrialPlan> Plan(BenchPlan plan, ScenarioPace pace, TimeProvider time) =>
    [
        .. Entrant.All.Select(entrant => new TrialPlan(
            entrant.Rival, cancellation => RunAsync(entrant, pace, time, cancellation))),
    ];

    public override string Promise => "at most 40 attempts a second while the backend is down, and callers served within 100 ms of its return";

    public override string? Figure => AttemptsWhileDown;

    protected override Verdict JudgeAll(IReadOnlyList<Trial> trials)
    {
        var attempts = Of(trials, RivalNames.Poolhouse, AttemptsWhileDown);
        var rivals = Math.Min(
            Of(trials, RivalNames.ChannelPool, AttemptsWhileDown), Of(trials, RivalNames.HomeMadePool, AttemptsWhileDown));
        var recovery = Of(trials, RivalNames.Poolhouse, Recovery);
        var most = trials.Select(trial => trial.Band).OfType<Band>().Select(band => band.To - band.From).DefaultIfEmpty().Min()
            * MostAttemptsPerSecond;
        return VerdictOf(
            attempts <= most && recovery <= LongestRecovery,
            $"Poolhouse tries {Units.Count(attempts)} times while the backend is down "
            + $"(at most {Units.Count(Math.Ceiling(most))} are allowed), the others {Units.Count(rivals)} times or more; "
            + $"it serves again {Finding.TextOf(recovery, Quantity.Seconds)} after the backend is back "
            + $"(at most {Finding.TextOf(LongestRecovery, Quantity.Seconds)} are allowed).");
    }

    private static double DownFrom(ScenarioPace pace) => pace.Choose(600, 150).TotalSeconds;

    private static double DownTo(ScenarioPace pace) => pace.Choose(1800, 450).TotalSeconds;

    private static async Task<Trial> RunAsync(
        Entrant entrant, ScenarioPace pace, TimeProvider time, CancellationToken cancellation)
    {
        var settings = new PoolSettings(MaxSize) { MaxRetryDelay = pace.Milliseconds(LongestRetryDelay) };
        var patience = pace.Milliseconds(250);
        var end = pace.Choose(2800, 950).TotalSeconds;
        var trial = new RunningTrial(entrant, settings, pace.Milliseconds(20), pace.Milliseconds(10), time, cancellation);
        await using var _ = trial.ConfigureAwait(false);
        await trial.Pool.FillAsync(2, cancellation).ConfigureAwait(false);
        trial.Journal.SetZero();
        var callers = trial.StreamAsync(CallersPerSecond, 0, end, () => trial.VisitAsync(patience));
        await trial.UntilAsync(DownFrom(pace)).ConfigureAwait(false);
        trial.Backend.GoDown();
        var down = trial.Journal.Now;
        await trial.UntilAsync(DownTo(pace)).ConfigureAwait(false);
        trial.Backend.ComeBack();
        var back = trial.Journal.Now;
        await callers.ConfigureAwait(false);
        await trial.AllLeftAsync().ConfigureAwait(false);
        cancellation.ThrowIfCancellationRequested();
        return Summarise(entrant, trial.Journal, down, back, Math.Max(end, trial.Journal.Now));
    }

    private static Trial Summarise(Entrant entrant, Journal journal, double down, double back, double end)
    {
        var served = journal.Of(TrialEvent.Served, back);
        var refused = journal.Count(TrialEvent.Refused) + journal.Count(TrialEvent.UseFailed);
        var refusedLater = journal.Of(TrialEvent.Refused, back);
        return new Trial(
            entrant.Rival,
            [
                new Curve(AttemptRate, journal.Rates(TrialEvent.OpenBegun, end, Steps)),
                new Curve(ServedRate, journal.Rates(TrialEvent.Served, end, Steps)),
            ],
            [
                new Finding(AttemptsWhileDown, journal.Count(TrialEvent.OpenBegun, down, back), Quantity.Count, Expectation.Less),
                new Finding("Callers that failed", refused, Quantity.Count, Expectation.Less),
                new Finding(
                    Recovery, served.Count == 0 ? double.PositiveInfinity : served[0].At - back, Quantity.Seconds,
                    Expectation.Less),
                new Finding("Failed when it was back", refusedLater.Count, Quantity.Count, Expectation.Less),
            ])
        {
            Band = new Band(down, back, "down"),
        };
    }
}
