using Poolhouse.Tool.Bench.Charts;
using Poolhouse.Tool.Bench.Measuring;

namespace Poolhouse.Tool.Bench.Buffers;

/// <summary>Several arrays rented at once.</summary>
internal sealed class ArrayDepth : Experiment
{
    public override string Id => "arrays-depth";

    public override string Group => "arrays";

    public override string Title => "Several arrays rented at once";

    public override string Question =>
        "What does an array cost when a thread holds 1, 2, 4, 8 or 16 of one length at the same time?";

    public override string Method =>
        "Every thread rents several arrays of 1,000 numbers (4,000 bytes), writes one element each, and returns them in reverse. "
        + "ArrayPool.Shared keeps one array of each length per thread and takes the others from a locked store.";

    public override IReadOnlyList<string> ParameterNames => ["depth"];

    public override IReadOnlyList<Cell> Plan(BenchPlan plan)
    {
        int[] depths = plan.Quick ? [1, 4, 16] : [1, 2, 4, 8, 16];
        return
        [
            .. from threads in plan.FewAndMany
               from depth in depths
               select CellOf(threads, depth),
        ];
    }

    public override IReadOnlyList<Cell> PlanWarmUp(BenchPlan plan) => [.. plan.FewAndMany.Select(threads => CellOf(threads, 4))];

    public override Verdict Judge(IReadOnlyList<Measurement> results)
    {
        var verdict = Crossover.Judge(results, 0, depth => $"{Units.Count(depth)} at once");
        var beside = Results.Cells(results).Select(cell => Results.Ratio(cell, RivalNames.Poolhouse, RivalNames.SharedArrays))
            .OfType<double>()
            .ToList();
        return beside.Count == 0
            ? verdict
            : verdict with
            {
                Text = $"{verdict.Text} Poolhouse takes {Units.Ratio(beside.Min())} to {Units.Ratio(beside.Max())} "
                    + "as long as ArrayPool.Shared.",
            };
    }

    public override IReadOnlyList<ChartGroup> Draw(IReadOnlyList<Measurement> results) =>
        [new("", [.. results.GroupBy(result => result.Threads).Select(panel => Panel([.. panel]))])];

    public override IReadOnlyList<Table> Tabulate(IReadOnlyList<Measurement> results) =>
    [
        Results.Times(
            "Time per array",
            results,
            ["Threads", "Depth"],
            result => [Units.Count(result.Threads), Units.Count(result.Parameters[0])]),
    ];

    private LineChart Panel(IReadOnlyList<Measurement> panel)
    {
        var series = Results.Times(panel, result => result.Parameters[0]);
        return new LineChart
        {
            Id = $"{Id}-{Units.Count(panel[0].Threads)}",
            Title = Units.Threads(panel[0].Threads),
            Description = $"Time for each array over the number held at once, on {Units.Threads(panel[0].Threads)}; "
                + "lower is better.",
            X = Axis.LogarithmicAt(
                "arrays held at once", [.. panel.Select(result => (double)result.Parameters[0]).Distinct().Order()], Units.Count),
            Y = Results.TimeAxis("wall time per array", series),
            Series = series,
            RowTitle = "held at once",
            RowLabel = Units.Count,
        };
    }

    private static Cell CellOf(int threads, int depth) => new("", threads, [depth],
    [
        new Contender<NestArrays<NewArrays>>(RivalNames.NoPool, _ => new(_ => new(default, depth))),
        new Contender<NestArrays<SharedArrays>>(RivalNames.SharedArrays, _ => new(_ => new(default, depth))),
        new Contender<NestArrays<CreatedArrays>>(RivalNames.CreatedArrays, workers =>
        {
            var pool = CreatedArrays.PoolFor(workers * depth);
            return new(_ => new(new(pool), depth));
        }),
        new Contender<NestArrays<PoolhouseArrays>>(RivalNames.Poolhouse, _ => new(_ => new(default, depth))),
    ]);
}
