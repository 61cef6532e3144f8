using Poolhouse.Tool.Bench.Report.Summing;
using Poolhouse.Tool.Bench.Resources;

namespace Poolhouse.Tool.Bench.Report;

/// <summary>A study of trials and what each pool did in it.</summary>
internal sealed record ScenarioResult(TrialStudy Scenario, IReadOnlyList<Trial> Trials, int PlannedTrials) : StudyResult
{
    public override Study Study => Scenario;

    public override Verdict Verdict =>
        Failure is null ? Scenario.Judge(Trials, PlannedTrials) : Verdict.Incomplete(Failure);

    public override IReadOnlyList<Standing> Standings => Summing.Standings.Of(Scenario.Figure, Trials);

    public override string Promise => Scenario.Promise.Length == 0 ? "" : $"Promised: {Scenario.Promise}. ";

    public override string LossText => TrialStudy.Losses(Trials) is { Count: > 0 } losses
        ? " Another pool is better in: "
            + string.Join(", ", losses.Select(loss => $"{loss.Own.Name.ToLowerInvariant()} ({loss.Own.Text}, {loss.Rival} {loss.Best.Text})"))
            + "."
        : "";

    public override bool IsEmpty => Trials.Count == 0;

    public override bool IsComplete => Trials.Count == PlannedTrials;

    public override int Lost => TrialStudy.Losses(Trials).Count;

    public override string Details => "All curves and figures";

    public override IReadOnlyList<ChartGroup> Draw() => Scenario.Draw(Trials);

    public override IReadOnlyList<Table> Tabulate() => Scenario.Tabulate(Trials);

    public override string WriteCsv() => CsvReport.Write(this);
}
