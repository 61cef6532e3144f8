using Poolhouse.Tool.Bench.Charts;
using Poolhouse.Tool.Bench.Measuring;

namespace Poolhouse.Tool.Bench;

/// <summary>Looks up measurements and converts them for charts and tables.</summary>
internal static class Results
{
    /// <summary>The rivals in the order in which they were measured.</summary>
    public static IReadOnlyList<string> RivalsIn(IEnumerable<Measurement> results) =>
        [.. results.Select(result => result.Rival).Distinct()];

    /// <summary>The measurements cell by cell.</summary>
    public static IEnumerable<IReadOnlyList<Measurement>> Cells(IEnumerable<Measurement> results) => results
        .GroupBy(result => (result.Experiment, result.Scenario, result.Threads, string.Join(' ', result.Parameters)))
        .Select(cell => cell.ToList());

    public static Measurement? Of(IEnumerable<Measurement> cell, string rival) =>
        cell.FirstOrDefault(result => result.Rival == rival);

    /// <summary>A rival's time over the baseline's in the same cell; null when one of them is missing.</summary>
    public static double? Ratio(IReadOnlyList<Measurement> cell, string rival, string baseline) =>
        Of(cell, rival) is { } measured && Of(cell, baseline) is { } reference
            ? measured.Nanoseconds / reference.Nanoseconds
            : null;

    /// <summary>A line for each rival: time over x.</summary>
    public static IReadOnlyList<Series> Times(IReadOnlyList<Measurement> results, Func<Measurement, double> x) =>
    [
        .. RivalsIn(results).Select(rival => new Series(
            rival,
            RivalNames.ColourOf(rival),
            [.. results.Where(result => result.Rival == rival).OrderBy(x)
                .Select(result => new Point(x(result), result.Nanoseconds, Units.Duration(result.Nanoseconds))
                {
                    Spread = SpreadOf(result, 1),
                })])),
    ];

    /// <summary>A line for each rival but the baseline: time over the baseline's.</summary>
    public static IReadOnlyList<Series> Deviations(
        IReadOnlyList<Measurement> results, string baseline, Func<Measurement, double> x)
    {
        var cells = Cells(results).OrderBy(cell => x(cell[0])).ToList();
        return
        [
            .. RivalsIn(results).Where(rival => rival != baseline).Select(rival => new Series(
                rival,
                RivalNames.ColourOf(rival),
                [
                    .. cells.Where(cell => Ratio(cell, rival, baseline) is not null)
                        .Select(cell => PointOf(cell, rival, baseline, x)),
                ])),
        ];
    }

    /// <summary>An axis that holds all points; percent deviations need a logarithmic one too, or −90 % would look less than
    /// +100 %.</summary>
    public static Axis TimeAxis(string title, IReadOnlyList<Series> series)
    {
        var (min, max) = Range(series);
        return Axis.Logarithmic(title, min, max, Units.Duration);
    }

    public static Axis DeviationAxis(string title, IReadOnlyList<Series> series)
    {
        var (min, max) = Range(series);
        return Axis.Logarithmic(title, Math.Min(min, 0.5), Math.Max(max, 2), value => $"{Units.Digits(value)}×");
    }

    /// <summary>A row for each cell: its conditions, then each rival's time.</summary>
    public static Table Times(
        string title, IReadOnlyList<Measurement> results, IReadOnlyList<string> heads, Func<Measurement, string[]> row) =>
        Values(title, results, heads, row, result => Units.Duration(result.Nanoseconds));

    /// <summary>A row for each cell: its conditions, then a value of each rival.</summary>
    public static Table Values(
        string title,
        IReadOnlyList<Measurement> results,
        IReadOnlyList<string> heads,
        Func<Measurement, string[]> row,
        Func<Measurement, string> text)
    {
        var rivals = RivalsIn(results);
        return new Table(
            title,
            [.. heads, .. rivals],
            [.. Cells(results).Select(cell => (IReadOnlyList<string>)
                [.. row(cell[0]), .. rivals.Select(rival => Of(cell, rival) is { } found ? text(found) : "")])]);
    }

    /// <summary>A row for each cell: its conditions, the baseline's time, and how the others deviate from it.</summary>
    public static Table Deviations(
        string title,
        IReadOnlyList<Measurement> results,
        string baseline,
        IReadOnlyList<string> heads,
        Func<Measurement, string[]> row)
    {
        string[] others = [.. RivalsIn(results).Where(rival => rival != baseline)];
        return new Table(
            title,
            [.. heads, baseline, .. others],
            [.. Cells(results).Select(cell => (IReadOnlyList<string>)
                [.. row(cell[0]), TimeText(cell, baseline), .. others.Select(rival => DeviationText(cell, rival, baseline))])]);
    }

    private static string TimeText(IReadOnlyList<Measurement> cell, string rival) =>
        Of(cell, rival) is { } found ? Units.Duration(found.Nanoseconds) : "";

    private static string DeviationText(IReadOnlyList<Measurement> cell, string rival, string baseline) =>
        Ratio(cell, rival, baseline) is { } ratio ? Units.Deviation(ratio) : "";

    private static Point PointOf(IReadOnlyList<Measurement> cell, string rival, string baseline, Func<Measurement, double> x)
    {
        var ratio = Ratio(cell, rival, baseline)!.Value;
        return new Point(x(cell[0]), ratio, $"{Units.Deviation(ratio)} ({Units.Duration(Of(cell, rival)!.Nanoseconds)})")
        {
            Spread = SpreadOf(Of(cell, rival)!, Of(cell, baseline)!.Nanoseconds),
        };
    }

    /// <summary>From the fastest to the slowest round, in units of <paramref name="unit"/> nanoseconds.</summary>
    private static (double From, double To)? SpreadOf(Measurement result, double unit) =>
        result.Rounds > 1 && result.Fastest > 0 ? (result.Fastest / unit, result.Slowest / unit) : null;

    private static (double Min, double Max) Range(IReadOnlyList<Series> series)
    {
        double[] values = [.. series.SelectMany(each => each.Points).Select(point => point.Y).Where(value => value > 0)];
        return values.Length == 0 ? (1, 10) : (values.Min(), values.Max());
    }
}
