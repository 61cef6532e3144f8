using Poolhouse.Tool.Bench.Charts;
using Poolhouse.Tool.Bench.Measuring;

namespace Poolhouse.Tool.Bench.Databases.Studies;

/// <summary>The article's experiment: a thousand times open, SELECT, close.</summary>
internal sealed class DatabaseSelect(DatabaseKind kind) : Experiment
{
    private const int Selects = 1000;
    private const int Rounds = 10;
    private const int QuickRounds = 3;
    private const int SelectsPerRound = Selects / Rounds;
    private const int SelectsPerQuickRound = 20;
    private const string Sync = "sync";
    private const string Async = "async";
    private const string ResetsCompletely = "Poolhouse resets a session completely before its next use, as it does by default; ";

    public override string Id => $"database-select-{kind.Slug()}";

    public override string Group => Catalog.DatabaseGroup;

    public override DatabaseKind? Needs => kind;

    public override string Title => $"1,000 × SELECT on {kind.Title()}";

    public override string Question => "How much time do open connections save, and what does a pool add to it?";

    public override string Method =>
        "Open a connection, SELECT 1, read the row, close the connection: in rounds of 100 (20 with --quick) after 10 (2) "
        + "that are not timed, the rivals in turns; the median for a thousand. "
        + kind switch
        {
            DatabaseKind.PostgreSql => ResetsCompletely
                + "Npgsql's pool too, together with the next command, and 'same reset' is Poolhouse with SessionReset.Provider. ",
            DatabaseKind.SqlServer => ResetsCompletely
                + "SqlClient's pool too, together with the next command. Unless --sqlserver names a server, "
                + $"a model of one is used ({SqlServerDatabase.EmbeddedName}), so compare the rows, not with other databases. ",
            DatabaseKind.Sqlite => ResetsCompletely
                + "the provider's pool only rolls back, and 'same reset' is Poolhouse with SessionReset.RollbackOnly. ",
            _ => Driver.Of(kind)!.Resets,
        }
        + "'one connection' is opened once for all. The original, on another database and machine: 4,046 ms without a pool, "
        + "353 ms with one, 287 ms on one connection.";

    public override IReadOnlyList<string> ParameterNames => [];

    public override string OperationName => "open, SELECT and close";

    public override IReadOnlyList<Cell> Plan(BenchPlan plan)
    {
        var rounds = plan.Quick ? QuickRounds : Rounds;
        return [.. CellsOf(plan).Select(cell => cell with { Rounds = rounds })];
    }

    public override IReadOnlyList<Cell> PlanWarmUp(BenchPlan plan) => CellsOf(plan);

    public override Verdict Judge(IReadOnlyList<Measurement> results)
    {
        // The outcome is that of the worse of the two ways, so its times are the ones to show.
        var ratios = Results.Cells(results)
            .Select(cell => (Cell: cell, Ratio: Results.Ratio(cell, RivalNames.Poolhouse, RivalNames.NoPool)))
            .Where(each => each.Ratio is not null)
            .ToList();
        if (ratios.Count == 0)
        {
            return new Verdict(Outcome.Unknown, "Not measured.");
        }

        var (worst, ratio) = ratios.MaxBy(each => each.Ratio);
        var sameReset = Results.Of(worst, RivalNames.PoolhouseSameReset) is null
            ? ""
            : $" ({TimeOf(worst, RivalNames.PoolhouseSameReset)} with the provider's reset)";
        var times = $"1,000 × SELECT ({worst[0].Scenario}) take {TimeOf(worst, RivalNames.Poolhouse)} with Poolhouse{sameReset}, "
            + (Results.Of(worst, RivalNames.ProviderPool) is null
                ? ""
                : $"{TimeOf(worst, RivalNames.ProviderPool)} with the provider's pool, ")
            + $"{TimeOf(worst, RivalNames.NoPool)} without one, and {TimeOf(worst, RivalNames.OneConnection)} on one "
            + "connection.";
        return ratio <= Crossover.Pays
            ? new Verdict(Outcome.Pays, $"Pooling pays: {times}")
            : new Verdict(Outcome.DoesNotPay, $"Pooling does not pay: {times}");
    }

    public override IReadOnlyList<ChartGroup> Draw(IReadOnlyList<Measurement> results) =>
    [
        new("",
        [
            Bars(results, "time", "Time for 1,000 (less is better)", TimeFor1000, Units.Duration),
            Bars(results, "bytes", "Bytes for each (less is better)", result => result.BytesPerOperation, Units.Bytes),
        ]),
    ];

    public override IReadOnlyList<Table> Tabulate(IReadOnlyList<Measurement> results) =>
    [
        TableOf("Time for 1,000", results, result => Units.Duration(TimeFor1000(result))),
        TableOf("Bytes allocated for each", results, result => Units.Bytes(result.BytesPerOperation)),
    ];

    public override string Describe(Measurement measurement) => measurement.Scenario;

    private static double TimeFor1000(Measurement result) => result.Nanoseconds * Selects;

    private static string TimeOf(IReadOnlyList<Measurement> cell, string rival) =>
        Results.Of(cell, rival) is { } found ? Units.Duration(TimeFor1000(found)) : "?";

    private static Table TableOf(string title, IReadOnlyList<Measurement> results, Func<Measurement, string> text) =>
        Results.Values(title, results, [""], result => [result.Scenario], text);

    private BarChart Bars(
        IReadOnlyList<Measurement> results, string part, string title, Func<Measurement, double> value, Func<double, string> text)
    {
        var most = results.Max(value);
        return new BarChart
        {
            Id = $"{Id}-{part}",
            Title = title,
            Description = $"{Title}: {title}, a bar for each way to get a connection, by synchronous and asynchronous calls.",
            Values = part == "bytes"
                ? Axis.Linear("bytes", most, Units.Bytes, Units.ByteUnit(most))
                : Axis.Linear("wall time", most, text, TimeUnit(most)),
            Series =
            [
                .. Results.RivalsIn(results).Select(rival => new Series(
                    rival,
                    RivalNames.ColourOf(rival),
                    [
                        .. results.Where(result => result.Rival == rival).Select(result => new Point(
                            result.Scenario == Sync ? 0 : 1, value(result), text(value(result)))),
                    ])),
            ],
            RowTitle = "calls",
            RowLabel = x => x > 0 ? Async : Sync,
        };
    }

    private static double TimeUnit(double nanoseconds) => nanoseconds < 1e9 ? 1e6 : 1e9;

    private List<Cell> CellsOf(BenchPlan plan)
    {
        var database = plan.Databases[kind];
        var selects = plan.Quick ? SelectsPerQuickRound : SelectsPerRound;
        return [CellOf(database, selects, Sync, isAsynchronous: false), CellOf(database, selects, Async, isAsynchronous: true)];
    }

    private static Cell CellOf(Database database, int selects, string scenario, bool isAsynchronous)
    {
        var settings = new SourceSettings(MaxSize: 10, "poolhouse select");
        return new Cell(scenario, 1, [],
        [
            Of(RivalNames.Poolhouse),
            .. database.HasOtherReset ? [Of(RivalNames.PoolhouseSameReset)] : (Contender[])[],
            .. database.HasProviderPool ? [Of(RivalNames.ProviderPool)] : (Contender[])[],
            new OneConnection(
                () => database.OpenWithoutPool(settings.Tag), database.SmallQuery, isAsynchronous, selects),
            Of(RivalNames.NoPool),
        ]);

        SelectContender Of(string rival) =>
            new(rival, () => database.Open(rival, settings), database.SmallQuery, isAsynchronous, selects);
    }
}
