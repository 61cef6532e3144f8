using Poolhouse.Tool.Bench.Charts;
using Poolhouse.Tool.Bench.Measuring;

namespace Poolhouse.Tool.Bench.Objects;

/// <summary>The cost of a rent and return, and how other threads increase it.</summary>
internal sealed class ThreadScaling : Experiment
{
    private const int MaxRetained = 1024;

    public override string Id => "objects-threads";

    public override string Group => "objects";

    public override string Title => "One rent and return, by threads";

    public override string Question =>
        "What does a rent and return cost, and how does the cost change when threads share the pool?";

    public override string Method =>
        "Every thread repeatedly rents an object of 80 bytes, touches it, and returns it, without any other work "
        + "in between, so contention is at its maximum. MaxRetained is 1,024.";

    public override IReadOnlyList<string> ParameterNames => [];

    public override IReadOnlyList<Cell> Plan(BenchPlan plan) => [.. plan.Threads.Select(threads => CellOf(threads))];

    public override IReadOnlyList<Cell> PlanWarmUp(BenchPlan plan) => [.. plan.FewAndMany.Select(threads => CellOf(threads))];

    public override Verdict Judge(IReadOnlyList<Measurement> results)
    {
        var cells = Results.Cells(results).ToList();
        if (cells.Count == 0)
        {
            return new Verdict(Outcome.Unknown, "Not measured.");
        }

        var from = Crossover.From(cells.Select(cell =>
            ((long)cell[0].Threads, Results.Ratio(cell, RivalNames.Poolhouse, RivalNames.NoPool) ?? double.PositiveInfinity)));
        var rival =
            cells.Select(cell => Results.Ratio(cell, RivalNames.Poolhouse, RivalNames.DefaultPool)).OfType<double>().ToList();
        var beside = rival.Count == 0
            ? ""
            : $" Poolhouse takes {Units.Ratio(rival.Min())} to {Units.Ratio(rival.Max())} as long as DefaultObjectPool.";
        return from is { } threads
            ? new Verdict(
                threads == cells.Min(cell => cell[0].Threads) ? Outcome.Pays : Outcome.Depends,
                $"Pooling pays from {Units.Threads((int)threads)} on, even for an object of 80 bytes.{beside}")
            : new Verdict(Outcome.DoesNotPay, $"Pooling does not pay: an object of 80 bytes is cheap to create.{beside}");
    }

    public override IReadOnlyList<ChartGroup> Draw(IReadOnlyList<Measurement> results)
    {
        var series = Results.Times(results, result => result.Threads);
        double[] threads = [.. results.Select(result => (double)result.Threads).Distinct().Order()];
        return
        [
            new("", [
                new LineChart
                {
                    Id = Id,
                    Title = "Rent, touch, return",
                    Description = "Time for each rent and return over the number of threads, a line for each rival; "
                        + "lower is better.",
                    X = Axis.LogarithmicAt("threads", threads, Units.Count),
                    Y = Results.TimeAxis("wall time per operation of all threads", series),
                    Series = series,
                    RowTitle = "threads",
                    RowLabel = Units.Count,
                },
            ]),
        ];
    }

    public override IReadOnlyList<Table> Tabulate(IReadOnlyList<Measurement> results) =>
        [Results.Times("Time per rent and return", results, ["Threads"], result => [Units.Count(result.Threads)])];

    private static Cell CellOf(int threads) => new("", threads, [], ItemContenders.Pairs(MaxRetained));
}
