using Poolhouse.Tool.Bench.Charts;
using Poolhouse.Tool.Bench.Measuring;

namespace Poolhouse.Tool.Bench.Workers;

/// <summary>An experiment about running batches of items: time and bytes per item.</summary>
internal abstract class JobExperiment : Experiment
{
    public override string Group => Catalog.WorkerGroup;

    public override string OperationName => "item";

    public override IReadOnlyList<string> ParameterNames => [ParameterName];

    /// <summary>What is varied.</summary>
    protected abstract string ParameterName { get; }

    public override IReadOnlyList<Cell> Plan(BenchPlan plan) => [.. ValuesOf(plan.Quick).Select(CellOf)];

    // What is compiled is the same for every value.
    public override IReadOnlyList<Cell> PlanWarmUp(BenchPlan plan) => [CellOf(ValuesOf(plan.Quick)[0])];

    public override IReadOnlyList<ChartGroup> Draw(IReadOnlyList<Measurement> results) => results.Count == 0
        ? []
        :
        [
            new("",
            [
                Bars(
                    results, "time", "Time for an item (less is better)", "wall time over items", result => result.Nanoseconds,
                    Units.Duration),
                Bars(
                    results, "bytes", "Bytes for an item (less is better)", "bytes", result => result.BytesPerOperation,
                    Units.Bytes),
            ]),
        ];

    public override IReadOnlyList<Table> Tabulate(IReadOnlyList<Measurement> results) =>
    [
        TableOf("Time for an item", results, result => Units.Duration(result.Nanoseconds)),
        TableOf("Bytes allocated for an item", results, result => Units.Bytes(result.BytesPerOperation)),
        TableOf("Threads that ran the items of a batch", results, result => Units.Count(result.ItemThreads ?? 0)),
    ];

    /// <summary>The values of the parameter, ascending.</summary>
    protected abstract IReadOnlyList<int> ValuesOf(bool isQuick);

    protected abstract IReadOnlyList<Contender> ContendersOf(int value);

    /// <summary>A rival's time for an item, in words.</summary>
    protected static string TimeOf(IReadOnlyList<Measurement> cell, string rival) =>
        Results.Of(cell, rival) is { } found ? Units.Duration(found.Nanoseconds) : "?";

    protected static string BytesOf(IReadOnlyList<Measurement> cell, string rival) =>
        Results.Of(cell, rival) is { } found ? Units.Bytes(found.BytesPerOperation) : "?";

    private Cell CellOf(int value) => new("", 1, [value], ContendersOf(value));

    private Table TableOf(string title, IReadOnlyList<Measurement> results, Func<Measurement, string> text) =>
        Results.Values(title, results, [ParameterName], result => [Units.Count(result.Parameters[0])], text);

    private BarChart Bars(
        IReadOnlyList<Measurement> results,
        string part,
        string title,
        string unit,
        Func<Measurement, double> value,
        Func<double, string> text)
    {
        var most = results.Max(value);
        return new BarChart
        {
            Id = $"{Id}-{part}",
            Title = title,
            Description = $"{Title}: {title}, a bar for each rival, grouped by {ParameterName}.",
            Values = part == "bytes" ? Axis.Linear(unit, most, text, Units.ByteUnit(most)) : Axis.Linear(unit, most, text),
            Series =
            [
                .. Results.RivalsIn(results).Select(rival => new Series(
                    rival,
                    RivalNames.ColourOf(rival),
                    [.. results.Where(result => result.Rival == rival).Select(PointOf)])),
            ],
            RowTitle = ParameterName,
            RowLabel = x => $"{ParameterName}: {Units.Count(x)}",
        };

        Point PointOf(Measurement result) => new(result.Parameters[0], value(result), text(value(result)));
    }
}
