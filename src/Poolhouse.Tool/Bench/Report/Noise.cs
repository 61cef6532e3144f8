using Poolhouse.Tool.Bench.Measuring;
using Poolhouse.Tool.Bench.Report.Summing;

namespace Poolhouse.Tool.Bench.Report;

/// <summary>Detects whether other work kept the machine busy.</summary>
internal static class Noise
{
    /// <summary>Rounds of one rival in one cell differ by less than this on a machine that does nothing else.</summary>
    private const double QuietSpread = 1.35;

    /// <summary>A warning, or null when the figures can be trusted.</summary>
    public static string? Warning(BenchResult result)
    {
        var spread = Spread(result.Experiments.SelectMany(experiment => experiment.Measurements));
        return spread <= QuietSpread
            ? null
            : $"Other work kept the machine busy: the slowest round takes {Units.Ratio(spread)} of the fastest in the median. "
                + "Experiments in which the rivals differ by less are inconclusive; measure again when the machine is quiet.";
    }

    /// <summary>A sentence if the rounds of an experiment differ by more than its rivals; null if the figures decide.</summary>
    public static string? Hides(IReadOnlyList<Measurement> measurements, IReadOnlyList<Standing> standings)
    {
        // The median is in the middle of the rounds, so half of their spread is what it may be off.
        var spread = Spread(measurements);
        var doubt = Math.Sqrt(spread);
        return spread > QuietSpread && standings.Count > 1
            && standings.Skip(1).All(each => each.Cost < doubt && each.Cost > 1 / doubt)
            ? $"Rounds of the same rival differ by {Units.Ratio(spread)} here, and the rivals by less: "
                + $"{string.Join(", ", standings.Skip(1).Select(each => $"{each.Rival} {each.Text}"))}, if Poolhouse takes 1×. "
                + "Measure again on a quiet machine."
            : null;
    }

    /// <summary>A sentence for each run in which the machine was busy.</summary>
    public static IReadOnlyList<string> Warnings(
        params IReadOnlyList<(string Run, IEnumerable<Measurement> Measurements)> runs) =>
    [
        .. from run in runs
           let spread = Spread(run.Measurements)
           where spread > QuietSpread
           select $"The machine was busy during {run.Run}: rounds differ by {Units.Ratio(spread)} in the median, and runs may "
               + "differ by more. Trust a difference only if it shows up again.",
    ];

    /// <summary>How much the rounds of a measurement differ, in the median of those that had several.</summary>
    public static double Spread(IEnumerable<Measurement> measurements)
    {
        var several = measurements.Where(each => each.Rounds > 1 && each.Fastest > 0);
        double[] spreads = [.. several.Select(each => each.Slowest / each.Fastest)];
        return spreads.Length == 0 ? 1 : Medians.Of(spreads);
    }
}
