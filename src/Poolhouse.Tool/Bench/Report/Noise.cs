using Poolhouse.Tool.Bench.Measuring;

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
            : $"The machine was busy: the slowest round takes {Units.Ratio(spread)} of the fastest in the median. "
                + "Measure again when it is quiet; "
                + "with several threads, work that has to wait for a core hides what contention costs.";
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
