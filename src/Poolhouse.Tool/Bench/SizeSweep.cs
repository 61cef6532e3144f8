using Poolhouse.Tool.Bench.Charts;
using Poolhouse.Tool.Bench.Measuring;

namespace Poolhouse.Tool.Bench;

/// <summary>The base class of experiments over sizes and threads, which show deviations from no pool.</summary>
internal abstract class SizeSweep : Experiment
{
    private const int BytesPerNumber = sizeof(int);

    public override IReadOnlyList<string> ParameterNames => ["length"];

    /// <summary>The unit of a size, for axis and verdict.</summary>
    protected abstract string Things { get; }

    public override IReadOnlyList<Cell> Plan(BenchPlan plan)
    {
        int[] lengths = plan.Quick ? [10, 1_000, 100_000] : [10, 100, 1_000, 10_000, 100_000, 1_000_000];
        return
        [
            .. from threads in plan.Threads
               from length in lengths
               select CellOf(threads, length),
        ];
    }

    public override IReadOnlyList<Cell> PlanWarmUp(BenchPlan plan) =>
        [.. plan.FewAndMany.Select(threads => CellOf(threads, 100))];

    public override Verdict Judge(IReadOnlyList<Measurement> results) => Crossover.Judge(
        results, 0, length => $"{Units.Count(length)} {Things} ({Units.Bytes(length * BytesPerNumber)})");

    public override IReadOnlyList<ChartGroup> Draw(IReadOnlyList<Measurement> results)
    {
        // One scale for all panels, so that they can be compared.
        var axis = Results.DeviationAxis(
            "time against no pool", Results.Deviations(results, RivalNames.NoPool, result => result.Threads));
        var byThreads = results.GroupBy(result => result.Threads).Select(group => PanelByLength([.. group], axis)).ToList();
        var bySize = results.GroupBy(result => result.Parameters[0]).Select(group => PanelByThreads([.. group], axis)).ToList();
        List<ChartGroup> groups = [new("By length", byThreads)];
        if (byThreads.Count > 1)
        {
            groups.Add(new ChartGroup("By threads", bySize));
        }

        return groups;
    }

    public override IReadOnlyList<Table> Tabulate(IReadOnlyList<Measurement> results) =>
    [
        Results.Deviations(
            "Time without a pool, and how the others deviate",
            results,
            RivalNames.NoPool,
            ["Threads", "Length"],
            result => [Units.Count(result.Threads), Units.Count(result.Parameters[0])]),
    ];

    protected abstract Cell CellOf(int threads, int length);

    private LineChart PanelByLength(IReadOnlyList<Measurement> panel, Axis axis)
    {
        var series = Results.Deviations(panel, RivalNames.NoPool, result => result.Parameters[0]);
        return ChartOf(panel, series, axis) with
        {
            Id = $"{Id}-threads-{Units.Count(panel[0].Threads)}",
            Title = Units.Threads(panel[0].Threads),
            X = Axis.LogarithmicAt(
                Things, [.. panel.Select(result => (double)result.Parameters[0]).Distinct().Order()], Units.Short),
            RowTitle = Things,
        };
    }

    private LineChart PanelByThreads(IReadOnlyList<Measurement> panel, Axis axis)
    {
        var series = Results.Deviations(panel, RivalNames.NoPool, result => result.Threads);
        return ChartOf(panel, series, axis) with
        {
            Id = $"{Id}-length-{Units.Short(panel[0].Parameters[0])}",
            Title = $"{Units.Count(panel[0].Parameters[0])} {Things}",
            X = Axis.LogarithmicAt(
                "threads", [.. panel.Select(result => (double)result.Threads).Distinct().Order()], Units.Count),
            RowTitle = "threads",
        };
    }

    private LineChart ChartOf(IReadOnlyList<Measurement> panel, IReadOnlyList<Series> series, Axis axis) => new()
    {
        Id = Id,
        Title = Title,
        Description = $"{Title}, {Describe(panel[0])} and further: how much more or less time each rival takes than no "
            + "pool, in percent; below the dashed line a pool pays.",
        X = Axis.LogarithmicAt("", [1], Units.Count),
        Y = axis,
        Series = series,
        RowTitle = "",
        RowLabel = Units.Count,
        Baseline = new Tick(1, RivalNames.NoPool),
    };
}
