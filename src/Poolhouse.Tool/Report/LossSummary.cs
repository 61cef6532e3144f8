using Poolhouse.Tool.Experiments;

namespace Poolhouse.Tool.Report;

/// <summary>Where Poolhouse loses, the same on the console and on the page.</summary>
/// <param name="Text">How often, in a sentence or two.</param>
/// <param name="Worst">The losses to other pools, the worst first.</param>
internal sealed record LossSummary(string Text, IReadOnlyList<(Experiment Experiment, Loss Loss)> Worst)
{
    public static LossSummary Of(IReadOnlyList<ExperimentResult> experiments)
    {
        var margin = Units.Deviation(Losses.Margin)[1..];
        var cells = experiments.Sum(result => Results.Cells(result.Measurements).Count());
        var without = experiments.Sum(result => Losses.ToNoPool(result.Measurements).Count);
        List<(Experiment Experiment, Loss Loss)> worst =
        [
            .. experiments.SelectMany(result => Losses.ToPools(result.Measurements).Select(loss => (result.Experiment, loss)))
                .OrderByDescending(each => each.loss.Ratio),
        ];
        return new LossSummary(
            $"Another pool was ahead of Poolhouse by more than {margin} in {Units.Count(worst.Count)} of "
                + $"{Units.Count(cells)} cells; "
            + $"no pool at all was ahead in {Units.Count(without)}.",
            worst);
    }
}
