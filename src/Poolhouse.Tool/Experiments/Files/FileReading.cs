using System.Security.Cryptography;
using System.Text;
using Microsoft.Extensions.ObjectPool;
using Poolhouse.Buffers;
using Poolhouse.Objects;
using Poolhouse.Tool.Charts;
using Poolhouse.Tool.Measuring;

namespace Poolhouse.Tool.Experiments.Files;

/// <summary>Real input: what pooling does to a program that also works.</summary>
internal sealed class FileReading : Experiment
{
    private const long MostBytes = 96L << 20;
    private const long MostBytesQuick = 12L << 20;
    private const int WarmUpFiles = 12;

    public override string Id => "files";

    public override string Group => "files";

    public override string Title => "Reading, hashing and word-counting files";

    public override string Question =>
        "What does pooling do to a program that reads, hashes and word-counts every file of a folder?";

    public override string Method =>
        "Each file is read whole into a buffer, hashed with SHA-256, decoded, freed of its markup into a StringBuilder, "
        + "and its words are counted. Buffers, builders and hashers are fresh for each file, or come from the runtime's pools, "
        + "or from Poolhouse. The files are in the system's cache.";

    public override IReadOnlyList<string> ParameterNames => ["files"];

    public override string OperationName => "file";

    public override IReadOnlyList<Cell> Plan(BenchPlan plan)
    {
        var files = FilesOf(plan);
        return files.Paths.Count == 0 ? [] : [.. plan.FewAndMany.Select(threads => CellOf(threads, files))];
    }

    public override IReadOnlyList<Cell> PlanWarmUp(BenchPlan plan)
    {
        var files = FilesOf(plan).First(WarmUpFiles);
        return files.Paths.Count == 0 ? [] : [.. plan.FewAndMany.Select(threads => CellOf(threads, files))];
    }

    public override Verdict Judge(IReadOnlyList<Measurement> results)
    {
        var cells = Results.Cells(results)
            .Where(cell => Results.Ratio(cell, Rivals.Poolhouse, Rivals.NoPool) is not null)
            .OrderBy(cell => cell[0].Threads)
            .ToList();
        if (cells.Count == 0)
        {
            return new Verdict(Outcome.Unknown, "Not measured: no files were found. Name a folder with --input.");
        }

        var from = Crossover.From(cells.Select(cell =>
            ((long)cell[0].Threads, Results.Ratio(cell, Rivals.Poolhouse, Rivals.NoPool)!.Value)));
        var fresh = Results.Of(cells[^1], Rivals.NoPool)!;
        var pooled = Results.Of(cells[^1], Rivals.Poolhouse)!;
        var memory = $"bytes allocated fall from {Units.Bytes(fresh.BytesPerOperation)} "
            + $"to {Units.Bytes(pooled.BytesPerOperation)} a file";
        var time = $"time {Units.Deviation(pooled.Nanoseconds / fresh.Nanoseconds)} with {Units.Threads(pooled.Threads)}";
        return from is { } threads
            ? new Verdict(
                threads == cells[0][0].Threads ? Outcome.Pays : Outcome.Depends,
                $"Pool pays here, from {Units.Threads((int)threads)} on: {time}; {memory}.")
            : new Verdict(Outcome.DoesNotPay, $"Pool does not pay here in time ({time}), though {memory}.");
    }

    public override IReadOnlyList<ChartGroup> Draw(IReadOnlyList<Measurement> results)
    {
        if (results.Count == 0)
        {
            return [];
        }

        return
        [
            new("", [
                Bars(
                    results,
                    "speed",
                    "Throughput (more is better)",
                    "MiB read per second",
                    Throughput,
                    value => $"{Units.Digits(value)} MiB/s"),
                Bars(
                    results,
                    "bytes",
                    "Allocated (less is better)",
                    "bytes per file",
                    result => result.BytesPerOperation,
                    Units.Bytes),
                Bars(
                    results,
                    "collections",
                    "Garbage collections (fewer is better)",
                    "collections per pass over all files",
                    Collections,
                    Units.Digits),
                Bars(
                    results,
                    "pause",
                    "Pauses (shorter is better)",
                    "milliseconds per pass over all files",
                    Pause,
                    value => $"{Units.Digits(value)} ms"),
            ]),
        ];
    }

    public override IReadOnlyList<Table> Tabulate(IReadOnlyList<Measurement> results) =>
    [
        new(
            "A pass over all files",
            ["Threads", "Source", "MiB/s", "Allocated/file", "GC 0/1/2", "Pause"],
            [.. results.Select(result => (IReadOnlyList<string>)
            [
                Units.Count(result.Threads),
                result.Rival,
                Units.Digits(Throughput(result)),
                Units.Bytes(result.BytesPerOperation),
                $"{PerPass(result, result.Gen0)}/{PerPass(result, result.Gen1)}/{PerPass(result, result.Gen2)}",
                $"{Units.Digits(Pause(result))} ms",
            ])]),
    ];

    public override string Describe(Measurement measurement) =>
        $"{Units.Count(measurement.Parameters[0])} files, {Units.Threads(measurement.Threads)}";

    private static double Throughput(Measurement result) =>
        result.InputBytes / (double)(1 << 20) / (result.Nanoseconds * result.OperationsPerRound / 1e9);

    private static double Collections(Measurement result) => (result.Gen0 + result.Gen1 + result.Gen2) / (double)result.Rounds;

    private static double Pause(Measurement result) => result.PauseMilliseconds / result.Rounds;

    private static string PerPass(Measurement result, int count) => Units.Digits(count / (double)result.Rounds);

    private static FileSet FilesOf(BenchPlan plan)
    {
        var most = plan.Quick ? MostBytesQuick : MostBytes;
        return plan.Input is { } folder ? FileSet.Under(folder, "*", most) : FileSet.OfSdk(most);
    }

    private BarChart Bars(
        IReadOnlyList<Measurement> results,
        string part,
        string title,
        string unit,
        Func<Measurement, double> value,
        Func<double, string> text)
    {
        Series[] series =
        [
            .. Results.RivalsIn(results).Select(rival => new Series(
                rival,
                Rivals.ColourOf(rival),
                [.. results.Where(result => result.Rival == rival).Select(PointOf)])),
        ];
        return new BarChart
        {
            Id = $"{Id}-{part}",
            Title = title,
            Description = $"{title}: {unit}, a bar for each source of buffers, builders and hashers, grouped by threads.",
            Values = part == "bytes"
                ? Axis.Linear(unit, results.Max(value), Units.Bytes, Units.ByteUnit(results.Max(value)))
                : Axis.Linear(unit, results.Max(value), Units.Digits),
            Series = series,
            RowTitle = "threads",
            RowLabel = threads => Units.Threads((int)threads),
        };

        Point PointOf(Measurement result) => new(result.Threads, value(result), text(value(result)));
    }

    private static Cell CellOf(int threads, FileSet files) => new("", threads, [files.Paths.Count],
    [
        new FileContender<FreshKit>(Rivals.NoPool, files, _ => (default, [])),
        new FileContender<BclKit>(Rivals.Bcl, files, workers => (BclPools(workers), [])),
        new FileContender<PoolhouseKit>(Rivals.Poolhouse, files, _ => PoolhousePools()),
    ]);

    private static BclKit BclPools(int workers) => new(
        new DefaultObjectPool<StringBuilder>(new BuilderPolicy(), workers),
        new DefaultObjectPool<IncrementalHash>(new HashPolicy(), workers));

#pragma warning disable CA2000 // The contender gets the pools and disposes them when its cell is done.
    private static (PoolhouseKit Kit, IDisposable[] Pools) PoolhousePools()
    {
        var bytes = new TieredArrayPool<byte>();
        var chars = new TieredArrayPool<char>();
        var builders = new TieredObjectPool<StringBuilder>(new BuilderPolicy());
        var hashes = new TieredObjectPool<IncrementalHash>(new HashPolicy());
        return (new PoolhouseKit(bytes, chars, builders, hashes), [bytes, chars, builders, hashes]);
    }
#pragma warning restore CA2000
}
