using Poolhouse.Tool.Bench.Measuring;
using Poolhouse.Tool.Bench.Resources;

namespace Poolhouse.Tool.Bench.Report.Summing;

/// <summary>Reduces a study to Poolhouse, the best other pool and no pool, in one quantity.</summary>
internal static class Standings
{
    /// <summary>Times as multiples of Poolhouse's: the geometric mean over the cells that both have.</summary>
    public static IReadOnlyList<Standing> Of(IReadOnlyList<Measurement> measurements)
    {
        var cells = Results.Cells(measurements).Where(cell => Results.Of(cell, RivalNames.Poolhouse) is not null).ToList();
        if (cells.Count == 0)
        {
            return [];
        }

        // A rival of a few cells, such as one that can only write, says little about the rest.
        var best = Results.RivalsIn(measurements).Where(Losses.IsOtherPool)
            .Select(rival => (Rival: rival, Ratios: RatiosOf(rival))).Where(each => 2 * each.Ratios.Count >= cells.Count)
            .Select(each => (each.Rival, Ratio: MeanOf(each.Ratios))).OrderBy(each => each.Ratio).Take(1);
        var none = RatiosOf(RivalNames.NoPool);
        return
        [
            new Standing(RivalNames.Poolhouse, 1, Text(1)),
            .. best.Select(each => new Standing(each.Rival, each.Ratio, Text(each.Ratio))),
            .. none.Count == 0
                ? Array.Empty<Standing>()
                : [new Standing(RivalNames.NoPool, MeanOf(none), Text(MeanOf(none)))],
        ];

        List<double> RatiosOf(string rival) =>
            [.. cells.Select(cell => Results.Ratio(cell, rival, RivalNames.Poolhouse)).OfType<double>()];

        static double MeanOf(List<double> ratios) => Math.Exp(ratios.Average(Math.Log));

        static string Text(double ratio) => ratio.Equals(1) ? "1×" : Units.Ratio(ratio);
    }

    /// <summary>The figure that decides a scenario.</summary>
    public static IReadOnlyList<Standing> Of(string? figure, IReadOnlyList<Trial> trials)
    {
        if (figure is null
            || trials.FirstOrDefault(trial => trial.Rival == RivalNames.Poolhouse)?.FindingOf(figure) is not { } own)
        {
            return [];
        }

        var others = trials.Select(trial => (trial.Rival, Finding: trial.FindingOf(figure)))
            .Where(each => each.Finding is not null)
            .Select(each => new Standing(each.Rival, CostOf(each.Finding!), each.Finding!.Text)).ToList();
        return
        [
            new Standing(RivalNames.Poolhouse, 1, $"{own.Text} ({char.ToLowerInvariant(figure[0])}{figure[1..]})"),
            .. others.Where(each => TrialStudy.IsOtherPool(each.Rival)).OrderBy(each => each.Cost).Take(1),
            .. others.Where(each => each.Rival == RivalNames.NoPool),
        ];

        // None of two is as good as none of one; one more than none is twice as much.
        double CostOf(Finding finding)
        {
            var none = own.Quantity is Quantity.Count && (own.Value.Equals(0) || finding.Value.Equals(0)) ? 1 : 0;
            var ratio = (finding.Value + none) / (own.Value + none);
            return own.Wish == Expectation.More ? 1 / ratio : ratio;
        }
    }
}
