using Poolhouse.Tool.Bench.Charts;
using Poolhouse.Tool.Bench.Resources.Trials;

namespace Poolhouse.Tool.Bench.Resources;

/// <summary>Thousands of callers give up while others keep working.</summary>
internal sealed class CancelStorm : Scenario
{
    private const int MaxSize = 4;
    private const int PatientCallers = 12;
    private const double StormPerSecond = 3000;
    private const int Steps = 15;
    private const double LeastKept = 0.8;
    private const string ServedRate = "callers served";
    private const string Kept = "Throughput kept";
    private const string Lost = "Capacity lost";

    public override string Id => "resources-cancel-storm";

    public override string Title => "A storm of cancellations";

    public override string Question => "Do callers that give up slow down other callers or lose capacity of the pool?";

    public override string Method =>
        "4 sessions are used for 5 ms each by 12 callers that never give up. In the middle third of the time 3,000 callers a "
        + "second are added, each of which cancels after 1 to 4 ms. At the end, 4 callers must be able to hold a "
        + "session each at the same time.";

    protected override IReadOnlyList<Plot> Plots =>
    [
        new(ServedRate, "Callers served (more is better)", "Callers that got a session, per second over time.", "per second"),
    ];

    public override IReadOnlyList<TrialPlan> Plan(BenchPlan plan, ScenarioPace pace, TimeProvider time) =>
    [
        .. Entrant.All.Select(entrant => new TrialPlan(
            entrant.Rival, cancellation => RunAsync(entrant, pace, time, cancellation))),
    ];

    public override string Promise => "at least 80 % of the best rival's throughput, and no capacity lost";

    public override string? Figure => Kept;

    protected override Verdict JudgeAll(IReadOnlyList<Trial> trials)
    {
        var kept = Of(trials, RivalNames.Poolhouse, Kept);
        var rivals = Math.Max(Of(trials, RivalNames.ChannelPool, Kept), Of(trials, RivalNames.HomeMadePool, Kept));
        var lost = Of(trials, RivalNames.Poolhouse, Lost);
        return VerdictOf(
            // Compared with the best rival, because other work on the machine slows all of them.
            kept >= LeastKept * Math.Min(1, rivals) && lost == 0,
            $"Poolhouse keeps {Finding.TextOf(kept, Quantity.Share)} of its throughput in the storm and loses "
            + $"{Units.Count(lost)} of {MaxSize} permits; the channel pool keeps "
            + $"{Finding.TextOf(Of(trials, RivalNames.ChannelPool, Kept), Quantity.Share)}, the home-made one "
            + $"{Finding.TextOf(Of(trials, RivalNames.HomeMadePool, Kept), Quantity.Share)}.");
    }

    private static double EndOf(ScenarioPace pace) => pace.Choose(1500, 450).TotalSeconds;

    private static async Task<Trial> RunAsync(
        Entrant entrant, ScenarioPace pace, TimeProvider time, CancellationToken cancellation)
    {
        var end = EndOf(pace);
        var trial = new RunningTrial(
            entrant, new PoolSettings(MaxSize), pace.Milliseconds(5), pace.Milliseconds(5), time, cancellation);
        await using var _ = trial.ConfigureAwait(false);
        await trial.Pool.FillAsync(MaxSize, cancellation).ConfigureAwait(false);
        trial.Journal.SetZero();
        trial.Loop(PatientCallers, end, Timeout.InfiniteTimeSpan, TimeSpan.Zero);
        var number = 0;
        await trial.StreamAsync(
            StormPerSecond,
            end / 3,
            2 * end / 3,
            () => GiveUpSoonAsync(trial, pace.Milliseconds(1 + (number++ % 4)), time)).ConfigureAwait(false);
        await trial.AllLeftAsync().ConfigureAwait(false);
        cancellation.ThrowIfCancellationRequested();
        return Summarise(entrant, trial.Journal, end, await CountLostAsync(trial, time, cancellation).ConfigureAwait(false));
    }

    private static async Task GiveUpSoonAsync(RunningTrial trial, TimeSpan after, TimeProvider time)
    {
        using var giveUp = new CancellationTokenSource(after, time);
        await trial.VisitAsync(Timeout.InfiniteTimeSpan, giveUp.Token).ConfigureAwait(false);
    }

    private static async Task<int> CountLostAsync(RunningTrial trial, TimeProvider time, CancellationToken cancellation)
    {
        for (var free = MaxSize; free > 0; free--)
        {
            using var tooLong = new CancellationTokenSource(TimeSpan.FromSeconds(1), time);
            using var both = CancellationTokenSource.CreateLinkedTokenSource(cancellation, tooLong.Token);
            try
            {
                await trial.Pool.HoldTogetherAsync(free, both.Token).ConfigureAwait(false);
                return MaxSize - free;
            }
            catch (OperationCanceledException) when (!cancellation.IsCancellationRequested)
            {
                // That many cannot be held at the same time.
            }
        }

        return MaxSize;
    }

    private static Trial Summarise(Entrant entrant, Journal journal, double end, int lost)
    {
        var third = end / 3;
        var before = journal.Count(TrialEvent.Served, 0, third);
        var during = journal.Count(TrialEvent.Served, third, 2 * third);
        return new Trial(
            entrant.Rival,
            [new Curve(ServedRate, journal.Rates(TrialEvent.Served, end, Steps))],
            [
                new Finding(Kept, before == 0 ? 0 : during / (double)before, Quantity.Share, Expectation.More),
                new Finding(
                    "Longest wait in the storm",
                    journal.Largest(TrialEvent.Served, third, 2 * third),
                    Quantity.Seconds,
                    Expectation.Less),
                new Finding("Callers that gave up", journal.Count(TrialEvent.Refused), Quantity.Count, Expectation.None),
                new Finding(Lost, lost, Quantity.Count, Expectation.Less),
            ])
        {
            Band = new Band(third, 2 * third, "storm"),
        };
    }
}
