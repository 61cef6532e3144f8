using CommunityToolkit.HighPerformance.Buffers;
using Microsoft.IO;
using Poolhouse.Tool.Bench.Measuring;
using Poolhouse.Tool.Bench.Resources;
using Poolhouse.Tool.Bench.Streams.Sources;

namespace Poolhouse.Tool.Bench.Streams;

/// <summary>Many streams that are alive at once, as under load.</summary>
// A scenario and not an experiment: the collector is the whole process's, so that rivals in turns would collect each other's
// garbage.
internal sealed class ManyStreams : Scenario
{
    private const int StreamCount = 64;
    private const int StreamLength = 256 << 10;
    private const int WarmUpBursts = 3;
    private const double ShareOfBytes = 0.05;
    private const string Memory = "managed memory";
    private const string Time = "Time for 64 streams";
    private const string Bytes = "Allocated for 64 streams";
    private const string FullCollections = "Collections, generation 2";
    private const string Pauses = "Pauses in all";
    private const string Peak = "Most managed memory";

    public override string Id => "streams-alive";

    public override string Group => Catalog.StreamGroup;

    public override string Title => "64 streams of 256 KiB alive at once";

    public override string Question => "How do many streams that are alive at once affect the garbage collector and memory?";

    public override string Method =>
        "64 streams are rented, filled in turns with 4 KiB each until each contains 256 KiB, and returned; 60 times, or "
        + "20 with --quick, after three times that do not count. Memory is the size of the heap, garbage included, while "
        + "all 64 are full, minus its size before the rival began; it includes the pool's idle blocks. 'toolkit's writer' "
        + "is an ArrayPoolBufferWriter over ArrayPool.Shared.";

    protected override IReadOnlyList<Plot> Plots =>
    [
        new(
            Memory,
            "Managed memory (less is better)",
            "MiB on the heap while all 64 streams are full, over the times that they were filled.",
            "MiB")
        {
            XTitle = "times filled",
        },
    ];

    public override IReadOnlyList<TrialPlan> Plan(BenchPlan plan, ScenarioPace pace, TimeProvider time)
    {
        return
        [
            Of<FreshStreams, MemoryStream>(RivalNames.NoPool, _ => default),
            Of<RentedStreams, PooledStream>(RivalNames.Poolhouse, pool => new(pool)),
            Of<RecyclableStreams, RecyclableMemoryStream>(RivalNames.Recyclable, _ => new(RecyclableStreams.CreateManager())),
            Of<ToolkitWriters, ArrayPoolBufferWriter<byte>>(RivalNames.ToolkitWriter, _ => default),
        ];

        TrialPlan Of<TSource, THeld>(string rival, Func<StreamPool, TSource> from)
            where TSource : struct, IStreamSource<THeld> => new(
                rival, cancellation => Task.FromResult(Run<TSource, THeld>(rival, from, BurstsOf(pace), time, cancellation)));
    }

    public override string Promise => "no more time or memory than new streams, and a twentieth of the bytes";

    public override string? Figure => Time;

    protected override Verdict JudgeAll(IReadOnlyList<Trial> trials)
    {
        return VerdictOf(
            Own(Bytes) <= Fresh(Bytes) * ShareOfBytes && Own(Time) <= Fresh(Time) && Own(Peak) <= Fresh(Peak),
            $"Poolhouse fills them in {Both(Time, Quantity.Seconds)}, allocates {Both(Bytes, Quantity.Bytes)} for them, and has "
            + $"{Both(FullCollections, Quantity.Count)} full collections, {Both(Pauses, Quantity.Seconds)} of pauses and at most "
            + $"{Both(Peak, Quantity.Bytes)} of memory.");

        double Own(string finding) => Of(trials, RivalNames.Poolhouse, finding);

        double Fresh(string finding) => Of(trials, RivalNames.NoPool, finding);

        string Both(string finding, Quantity quantity) =>
            $"{Finding.TextOf(Own(finding), quantity)} (no pool: {Finding.TextOf(Fresh(finding), quantity)})";
    }

    private static int BurstsOf(ScenarioPace pace) => pace switch
    {
        ScenarioPace.Full => 60,
        ScenarioPace.Quick => 20,
        _ => 2,
    };

    private static Trial Run<TSource, THeld>(
        string rival, Func<StreamPool, TSource> from, int bursts, TimeProvider time, CancellationToken cancellation)
        where TSource : struct, IStreamSource<THeld>
    {
        var watch = new HeapWatch();
        using var pool = new PrivateStreamPool();
        var burst = new StreamBurst<TSource, THeld>(from(pool.Pool), StreamCount, StreamLength);
        for (var i = 0; i < WarmUpBursts; i++)
        {
            burst.Run(whenFull: null);
        }

        HeapWatch.Collect();
        var memory = new List<CurvePoint>(bursts);
        var times = new List<double>(bursts);
        var before = GarbageMeter.Read();
        for (var i = 1; i <= bursts; i++)
        {
            cancellation.ThrowIfCancellationRequested();
            var started = time.GetTimestamp();
            burst.Run(() => memory.Add(new CurvePoint(i, watch.Look() / (double)(1 << 20))));
            times.Add(time.GetElapsedTime(started).TotalSeconds);
        }

        return Summarise(rival, watch, GarbageMeter.Read() - before, memory, times);
    }

    private static Trial Summarise(
        string rival, HeapWatch watch, GarbageMeter garbage, List<CurvePoint> memory, List<double> times) => new(
            rival,
            [new Curve(Memory, memory)],
            [
                new Finding(Time, Medians.Of(times), Quantity.Seconds, Expectation.Less),
                new Finding(Bytes, garbage.Bytes / (double)times.Count, Quantity.Bytes, Expectation.Less),
                new Finding("Collections, generation 0", garbage.Gen0, Quantity.Count, Expectation.Less),
                new Finding("Collections, generation 1", garbage.Gen1, Quantity.Count, Expectation.Less),
                new Finding(FullCollections, garbage.Gen2, Quantity.Count, Expectation.Less),
                new Finding(Pauses, garbage.Pause.TotalSeconds, Quantity.Seconds, Expectation.Less),
                new Finding(Peak, watch.Most, Quantity.Bytes, Expectation.Less),
                new Finding("Most large objects", watch.MostLarge, Quantity.Bytes, Expectation.Less),
            ]);
}
