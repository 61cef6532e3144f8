using Poolhouse.Tool.Bench.Charts;
using Poolhouse.Tool.Bench.Measuring;

namespace Poolhouse.Tool.Bench.Streams;

/// <summary>The base class of experiments over the lengths of streams: deviations from a new MemoryStream, and bytes.</summary>
internal abstract class StreamSweep : Experiment
{
    /// <summary>Long enough to be in many blocks.</summary>
    private const int WarmUpLength = 100_000;

    public override string Group => Catalog.StreamGroup;

    public override IReadOnlyList<string> ParameterNames => ["bytes"];

    public override string OperationName => "stream";

    /// <summary>The work of each scenario, and the rivals that also run on several threads.</summary>
    protected abstract IReadOnlyList<(string Scenario, bool OnManyThreads)> Scenarios { get; }

    public override IReadOnlyList<Cell> Plan(BenchPlan plan) =>
    [
        .. from threads in plan.FewAndMany
           from scenario in Scenarios
           where scenario.OnManyThreads || threads == plan.Few
           from length in Lengths(plan.Quick)
           select CellOf(scenario.Scenario, threads, length),
    ];

    public override IReadOnlyList<Cell> PlanWarmUp(BenchPlan plan) =>
    [
        .. from threads in plan.FewAndMany
           from scenario in Scenarios
           select CellOf(scenario.Scenario, threads, WarmUpLength),
    ];

    public override Verdict Judge(IReadOnlyList<Measurement> results)
    {
        var verdict = Crossover.Judge(results, 0, length => Units.Bytes(length));
        return verdict.Outcome == Outcome.Unknown
            ? verdict
            : verdict with
            {
                Text = $"{verdict.Text} It allocates {ShareOfBytes(results, RivalNames.Poolhouse)} of the bytes.",
            };
    }

    public override IReadOnlyList<ChartGroup> Draw(IReadOnlyList<Measurement> results)
    {
        // One scale for all panels, so that they can be compared.
        var panels = results.GroupBy(result => (result.Scenario, result.Threads)).Select(panel => panel.ToList()).ToList();
        var axis = Results.DeviationAxis("time against no pool", [.. panels.SelectMany(panel => Deviations(panel))]);
        return
        [
            .. panels.GroupBy(panel => panel[0].Scenario).Select(group => new ChartGroup(
                HeadingOf(group.Key), [.. group.Select(panel => Panel(panel, axis))])),
        ];
    }

    public override IReadOnlyList<Table> Tabulate(IReadOnlyList<Measurement> results) =>
    [
        .. results.GroupBy(result => (result.Scenario, result.Threads)).Select(part => Results.Deviations(
            $"{TitleOf(part.Key.Scenario, part.Key.Threads)}: time per {OperationName}",
            [.. part],
            RivalNames.NoPool,
            ["Length"],
            LengthOf)),
        .. results.Where(result => result.Threads == results.Min(each => each.Threads)).GroupBy(result => result.Scenario)
            .Select(part => Results.Values(
                $"{TitleOf(part.Key, part.First().Threads)}: bytes allocated per {OperationName}",
                [.. part],
                ["Length"],
                LengthOf,
                result => Units.Bytes(result.BytesPerOperation))),
    ];

    public override string Describe(Measurement measurement) => string.Join(
        ", ",
        ((string[])[measurement.Scenario, Units.Bytes(measurement.Parameters[0]), Units.Threads(measurement.Threads)])
            .Where(part => part.Length > 0));

    protected abstract IReadOnlyList<int> Lengths(bool isQuick);

    protected abstract IReadOnlyList<Contender> ContendersOf(string scenario, int length);

    private static string[] LengthOf(Measurement result) => [Units.Bytes(result.Parameters[0])];

    private static string HeadingOf(string scenario) =>
        scenario.Length == 0 ? "" : $"{char.ToUpperInvariant(scenario[0])}{scenario[1..]}";

    private static string TitleOf(string scenario, int threads) =>
        scenario.Length == 0 ? Units.Threads(threads) : $"{scenario}, {Units.Threads(threads)}";

    private static IReadOnlyList<Series> Deviations(List<Measurement> panel) =>
        Results.Deviations(panel, RivalNames.NoPool, result => result.Parameters[0]);

    /// <summary>The largest share of any cell, which is more informative than an average over lengths.</summary>
    private static string ShareOfBytes(IReadOnlyList<Measurement> results, string rival)
    {
        var shares = Results.Cells(results)
            .Where(
                cell => Results.Of(cell, rival) is not null && Results.Of(cell, RivalNames.NoPool) is { BytesPerOperation: > 0 })
            .Select(cell =>
                Results.Of(cell, rival)!.BytesPerOperation / Results.Of(cell, RivalNames.NoPool)!.BytesPerOperation)
            .ToList();
        return shares.Count == 0 ? "?" : $"at most {Units.Digits(shares.Max() * 100)} %";
    }

    private Cell CellOf(string scenario, int threads, int length) =>
        new(scenario, threads, [length], ContendersOf(scenario, length));

    private LineChart Panel(List<Measurement> panel, Axis axis)
    {
        var (scenario, threads) = (panel[0].Scenario, panel[0].Threads);
        string[] parts = [Id, .. scenario.Split(' ', StringSplitOptions.RemoveEmptyEntries), Units.Count(threads)];
        return new LineChart
        {
            Id = string.Join('-', parts),
            Title = Units.Threads(threads),
            Description = $"{Title}, {TitleOf(scenario, threads)}: how much more or less time each rival takes than a fresh "
                + "MemoryStream, in percent, over the length of the stream; below the dashed line a pool pays.",
            X = Axis.LogarithmicAt(
                "length of the stream",
                [.. panel.Select(result => (double)result.Parameters[0]).Distinct().Order()],
                Units.Bytes),
            Y = axis,
            Series = Deviations(panel),
            RowTitle = "length",
            RowLabel = Units.Bytes,
            Baseline = new Tick(1, RivalNames.NoPool),
        };
    }
}
