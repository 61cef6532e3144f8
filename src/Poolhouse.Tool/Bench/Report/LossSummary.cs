using Poolhouse.Tool.Bench.Resources;

namespace Poolhouse.Tool.Bench.Report;

/// <summary>Where Poolhouse loses, the same on the console and on the page.</summary>
/// <param name="Text">How often, in a sentence or two.</param>
/// <param name="Worst">The losses to other pools, the worst first.</param>
/// <param name="Figures">The figures of scenarios in which another pool was better.</param>
internal sealed record LossSummary(
    string Text,
    IReadOnlyList<(Experiment Experiment, Loss Loss)> Worst,
    IReadOnlyList<(TrialStudy Scenario, ScenarioLoss Loss)> Figures)
{
    /// <summary>Whether there were rivals.</summary>
    public bool HasComparisons => Text.Length > 0;

    public static LossSummary Of(BenchResult result)
    {
        List<(Experiment Experiment, Loss Loss)> worst =
        [
            .. result.Experiments.SelectMany(each => Losses.ToPools(each.Measurements).Select(loss => (each.Experiment, loss)))
                .OrderByDescending(each => each.loss.Ratio),
        ];
        List<(TrialStudy Scenario, ScenarioLoss Loss)> figures =
            [.. result.Scenarios.SelectMany(each => TrialStudy.Losses(each.Trials).Select(loss => (each.Scenario, loss)))];
        string?[] sentences = [OfCells(result, worst.Count), OfFigures(result, figures.Count)];
        return new LossSummary(string.Join(' ', sentences.OfType<string>()), worst, figures);
    }

    private static string? OfCells(BenchResult result, int lost)
    {
        var cells = result.Experiments.Sum(each => Results.Cells(each.Measurements).Count(cell => cell.Count > 1));
        var without = result.Experiments.Sum(each => Losses.ToNoPool(each.Measurements).Count);
        return cells == 0
            ? null
            : $"Another pool was ahead of Poolhouse by more than {Units.Deviation(Losses.Margin)[1..]} in {Units.Count(lost)} of "
                + $"{Units.Count(cells)} cells; no pool at all was ahead in {Units.Count(without)}.";
    }

    private static string? OfFigures(BenchResult result, int lost)
    {
        var compared = result.Scenarios.Sum(each => each.Trials
            .Where(trial => trial.Rival is RivalNames.Poolhouse or RivalNames.EfPoolhouse)
            .Sum(trial => trial.Findings.Count(finding => finding.Wish != Expectation.None)));
        return compared == 0
            ? null
            : $"In the scenarios another pool was clearly better in {Units.Count(lost)} of {Units.Count(compared)} figures.";
    }
}
