using Poolhouse.Tool.Bench.Charts;
using Poolhouse.Tool.Bench.Measuring;

namespace Poolhouse.Tool.Bench.Objects;

/// <summary>The benchmark of dotnet/aspnetcore #45251 with its flaws fixed.</summary>
internal sealed class RentalMatrix : Experiment
{
    private const string Short = "short rentals";
    private const string Long = "drain and refill";

    public override string Id => "objects-matrix";

    public override string Group => "objects";

    public override string Title => "The matrix of aspnetcore #45251";

    public override string Question =>
        "How do pools of every size handle short rentals, and being drained, refilled and overfilled?";

    public override string Method =>
        "Drain and refill: all threads together rent MaxRetained + overflow objects, then return them all, so that the "
        + "surplus is returned to a full pool. Short rentals: one object at a time, eight for each object of such a drain, and "
        + "then the drain. Every thread rents at least one, and the time of all threads counts. Unlike the original, "
        + "no loop is empty, the overflow is reached, and more than the main thread is timed.";

    public override IReadOnlyList<string> ParameterNames => ["max retained", "overflow"];

    public override IReadOnlyList<Cell> Plan(BenchPlan plan)
    {
        int[] sizes = plan.Quick ? [2, 32, 1024] : [2, 8, 16, 32, 256, 1024, 2048];
        int[] overflows = plan.Quick ? [0, 16] : [0, 8, 16];
        return
        [
            .. from threads in plan.FewAndMany
               from scenario in (string[])[Short, Long]
               from overflow in overflows
               from size in sizes
               select CellOf(scenario, threads, size, overflow),
        ];
    }

    public override IReadOnlyList<Cell> PlanWarmUp(BenchPlan plan) =>
    [
        .. from threads in plan.FewAndMany
           from scenario in (string[])[Short, Long]
           select CellOf(scenario, threads, 32, 16),
    ];

    public override Verdict Judge(IReadOnlyList<Measurement> results)
    {
        var cells = Results.Cells(results).ToList();
        if (cells.Count == 0)
        {
            return new Verdict(Outcome.Unknown, "Not measured.");
        }

        var pays = cells.Count(cell => Results.Ratio(cell, RivalNames.Poolhouse, RivalNames.NoPool) <= Crossover.Pays);
        var beside =
            cells.Select(cell => Results.Ratio(cell, RivalNames.Poolhouse, RivalNames.DefaultPool)).OfType<double>().ToList();
        var faster = beside.Count(ratio => ratio <= Crossover.Pays);
        var text = pays == 0
            ? "Pooling does not pay in any cell"
            : $"Pooling pays in {Units.Count(pays)} of {Units.Count(cells.Count)} cells";
        var rival = beside.Count == 0
            ? ""
            : $"; Poolhouse is faster than DefaultObjectPool in {Units.Count(faster)}, and takes {Units.Ratio(Medians.Of(beside))} "
                + "as long in the median";
        var outcome = pays == 0 ? Outcome.DoesNotPay : pays == cells.Count ? Outcome.Pays : Outcome.Depends;
        return new Verdict(outcome, $"{text}{rival}.");
    }

    public override IReadOnlyList<ChartGroup> Draw(IReadOnlyList<Measurement> results) =>
        [.. results.GroupBy(result => (result.Scenario, result.Threads)).Select(group => DrawGroup([.. group]))];

    public override IReadOnlyList<Table> Tabulate(IReadOnlyList<Measurement> results)
    {
        var most = results.Count == 0 ? 0 : results.Max(result => result.Parameters[1]);
        return
        [
            .. from result in results
               where result.Parameters[1] == most
               group result by (result.Scenario, result.Threads) into part
               select Results.Times(
                   $"{part.Key.Scenario}, overflow {Units.Count(most)}, {Units.Threads(part.Key.Threads)}",
                   [.. part],
                   ["MaxRetained"],
                   result => [Units.Count(result.Parameters[0])]),
        ];
    }

    // One scale for all panels of a group, so that what overflow does can be seen from panel to panel.
    private ChartGroup DrawGroup(IReadOnlyList<Measurement> group)
    {
        var axis = Results.TimeAxis("wall time per rent and return", Results.Times(group, result => result.Parameters[0]));
        var heading = $"{char.ToUpperInvariant(group[0].Scenario[0])}{group[0].Scenario[1..]}, {Units.Threads(group[0].Threads)}";
        return new ChartGroup(
            heading, [.. group.GroupBy(result => result.Parameters[1]).Select(panel => Panel([.. panel], axis))]);
    }

    private LineChart Panel(IReadOnlyList<Measurement> panel, Axis axis)
    {
        var (scenario, threads, overflow) = (panel[0].Scenario, panel[0].Threads, panel[0].Parameters[1]);
        return new LineChart
        {
            Id = $"{Id}-{(scenario == Short ? "short" : "drain")}-{Units.Count(overflow)}-{Units.Count(threads)}",
            Title = overflow == 0 ? "As many as MaxRetained" : $"{Units.Count(overflow)} more than MaxRetained",
            Description = $"{scenario} with overflow {Units.Count(overflow)} on {Units.Threads(threads)}: "
                + "time for each rent and return over MaxRetained, a line for each rival; lower is better.",
            X = Axis.LogarithmicAt(
                "MaxRetained", [.. panel.Select(result => (double)result.Parameters[0]).Distinct().Order()], Units.Short),
            Y = axis,
            Series = Results.Times(panel, result => result.Parameters[0]),
            RowTitle = "MaxRetained",
            RowLabel = Units.Count,
        };
    }

    private static Cell CellOf(string scenario, int threads, int size, int overflow) => new(
        scenario,
        threads,
        [size, overflow],
        scenario == Short ? ItemContenders.ShortRentals(size, overflow) : ItemContenders.Drains(size, overflow));
}
