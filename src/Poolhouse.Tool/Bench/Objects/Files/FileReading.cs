using System.Security.Cryptography;
using System.Text;
using Microsoft.Extensions.ObjectPool;
using Poolhouse.Tool.Bench.Measuring;

namespace Poolhouse.Tool.Bench.Objects.Files;

/// <summary>Real input: the effect of pooling on a program that also does other work.</summary>
internal sealed class FileReading : WorkExperiment
{
    private const long MostBytes = 96L << 20;
    private const long MostBytesQuick = 12L << 20;
    private const int WarmUpFiles = 12;

    public override string Id => "files";

    public override string Group => "files";

    public override string Title => "Reading, hashing and word-counting files";

    public override string Question =>
        "What does pooling change for a program that reads, hashes and word-counts every file of a folder?";

    public override string Method =>
        "Each file is read whole into a buffer, hashed with SHA-256, decoded, stripped of its markup into a StringBuilder, "
        + "and its words are counted. Buffers, builders and hashers are fresh for each file, or come from the runtime's pools, "
        + "or from Poolhouse. The files are in the system's cache.";

    public override IReadOnlyList<string> ParameterNames => ["files"];

    public override string OperationName => "file";

    protected override string RoundName => "pass over all files";

    protected override string NotMeasured => "Not measured: no files were found. Name a folder with --input.";

    protected override string SpeedTitle => "Throughput (more is better)";

    protected override string SpeedUnit => "MiB/s";

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

    protected override double Speed(Measurement result) =>
        result.InputBytes / (double)(1 << 20) / (result.Nanoseconds * result.OperationsPerRound / 1e9);

    protected override string SpeedText(double speed) => $"{Units.Bytes(speed * (1 << 20))}/s";

    public override string Describe(Measurement measurement) =>
        $"{Units.Count(measurement.Parameters[0])} files, {Units.Threads(measurement.Threads)}";

    private static FileSet FilesOf(BenchPlan plan)
    {
        var most = plan.Quick ? MostBytesQuick : MostBytes;
        return plan.Input is { } folder ? FileSet.Under(folder, "*", most) : FileSet.OfSdk(most);
    }

    private static Cell CellOf(int threads, FileSet files) => new("", threads, [files.Paths.Count],
    [
        new FileContender<FreshKit>(RivalNames.NoPool, files, _ => (default, [])),
        new FileContender<BclKit>(RivalNames.Bcl, files, workers => (BclPools(workers), [])),
        new FileContender<PoolhouseKit>(RivalNames.Poolhouse, files, _ => PoolhousePools()),
    ]);

    private static BclKit BclPools(int workers) => new(
        new DefaultObjectPool<StringBuilder>(new BuilderPolicy(), workers),
        new DefaultObjectPool<IncrementalHash>(new HashPolicy(), workers));

    private static (PoolhouseKit Kit, IDisposable[] Pools) PoolhousePools()
    {
        var bytes = new TieredArrayPool<byte>();
        var chars = new TieredArrayPool<char>();
        var builders = new TieredObjectPool<StringBuilder>(new BuilderPolicy());
        var hashes = new TieredObjectPool<IncrementalHash>(new HashPolicy());
        return (new PoolhouseKit(bytes, chars, builders, hashes), [bytes, chars, builders, hashes]);
    }
}
