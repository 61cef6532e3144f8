using System.Globalization;
using Poolhouse.Tool.Bench.Charts;
using Poolhouse.Tool.Bench.Measuring;

namespace Poolhouse.Tool.Bench.Growth;

/// <summary>What a rent costs as what is beside it grows: lines that must be flat.</summary>
internal sealed class GrowthOfPools : Experiment
{
    /// <summary>The most that a rent may cost beside the largest number, over what it costs beside the smallest.</summary>
    public const double Flat = 2;

    private const string Threads = "threads";

    private static readonly int[] _threads = [1, 2, 8, 32, 128, 512];
    private static readonly int[] _fewThreads = [1, 8];

    public override string Id => "growth";

    public override string Group => Catalog.GrowthGroup;

    public override string Title => "A rent as pools, items, waiters, keys and threads grow";

    public override string Question => "Does a rent cost more when there are more pools, items, waiters, keys or threads?";

    public override string Method =>
        "A rent and return of a resource pool (of an object pool in the first chart), where one number grows. Pools and "
        + "keys are visited in an order that no cache can predict. With waiters, an item is returned to the first of them, "
        + "which then queues again at the end. Each line should be flat.";

    public override IReadOnlyList<string> ParameterNames => ["count"];

    public override IReadOnlyList<Cell> Plan(BenchPlan plan) =>
    [
        .. Subject.All.SelectMany(
            subject => (plan.Quick ? subject.FewCounts : subject.Counts).Select(count => CellOf(subject, count))),
        .. (plan.Quick ? _fewThreads : _threads).Select(CellOf),
    ];

    public override IReadOnlyList<Cell> PlanWarmUp(BenchPlan plan) =>
        [.. Subject.All.Select(subject => CellOf(subject, 10)), CellOf(1)];

    public override Verdict Judge(IReadOnlyList<Measurement> results)
    {
        var growths = Scenarios(results).Select(
            line => (Name: line[0].Scenario, Growth: line[^1].Nanoseconds / line[0].Nanoseconds, Last: line[^1])).ToList();
        if (growths.Count == 0)
        {
            return new Verdict(Outcome.Unknown, "Not measured.");
        }

        var steep = growths.Where(each => each.Growth > Flat)
            .Select(each => $"{each.Name} ({Units.Ratio(each.Growth)} at {Units.Count(each.Last.Parameters[0])})").ToList();
        return steep.Count == 0
            ? new Verdict(
                Outcome.Holds,
                $"A rent costs at most {Units.Ratio(growths.Max(each => each.Growth))} as much with the largest numbers.")
            : new Verdict(
                Outcome.FallsShort, $"A rent costs more than {Units.Ratio(Flat)} as much with many {string.Join(", ", steep)}.");
    }

    public override IReadOnlyList<ChartGroup> Draw(IReadOnlyList<Measurement> results)
    {
        var (lowest, highest) = (results.Min(each => each.Nanoseconds), results.Max(each => each.Nanoseconds));
        return [new("", [.. Scenarios(results).Select(line => ChartOf(line, lowest, highest))])];
    }

    public override IReadOnlyList<Table> Tabulate(IReadOnlyList<Measurement> results) =>
    [
        new(
            "Time of a rent and return, or of a hand-over to the first waiter",
            ["Beside", "Time at the least", "Time at the most", "Growth", "Allocated"],
            [
                .. Scenarios(results).Select(line => (IReadOnlyList<string>)
                [
                    line[0].Scenario,
                    $"{Units.Duration(line[0].Nanoseconds)} at {Units.Count(line[0].Parameters[0])}",
                    $"{Units.Duration(line[^1].Nanoseconds)} at {Units.Count(line[^1].Parameters[0])}",
                    Units.Ratio(line[^1].Nanoseconds / line[0].Nanoseconds),
                    Units.Bytes(line[^1].BytesPerOperation),
                ]),
            ]),
    ];

    public override string Describe(Measurement measurement) =>
        string.Create(CultureInfo.InvariantCulture, $"{Units.Count(measurement.Parameters[0])} {measurement.Scenario}");

    private static IEnumerable<List<Measurement>> Scenarios(IReadOnlyList<Measurement> results) =>
        results.GroupBy(each => each.Scenario).Select(line => line.OrderBy(each => each.Parameters[0]).ToList());

    private static LineChart ChartOf(List<Measurement> line, double lowest, double highest) => new()
    {
        Id = "growth-" + line[0].Scenario.Replace(' ', '-'),
        Title = string.Create(CultureInfo.InvariantCulture, $"By number of {line[0].Scenario}"),
        Description = $"Time of a rent over the number of {line[0].Scenario}; a flat line is good.",
        X = Axis.LogarithmicAt(line[0].Scenario, [.. line.Select(each => (double)each.Parameters[0])], Units.Short),
        Y = Axis.Logarithmic("time of a rent and return", lowest, highest, Units.Duration),
        Series = Results.Times(line, each => each.Parameters[0]),
        RowTitle = line[0].Scenario,
        RowLabel = Units.Count,
    };

    private static Cell CellOf(Subject subject, int count) => new(subject.Name, 1, [count], [subject.At(count)]);

    // The threads share one pool with an item for each, so that what grows is not the wait.
    private static Cell CellOf(int threads) => new(Threads, threads, [threads], [Subject.OfThreads()]);
}
