using Microsoft.IO;
using Poolhouse.Tool.Bench.Measuring;
using Poolhouse.Tool.Bench.Streams.Sources;

namespace Poolhouse.Tool.Bench.Streams.Pdf;

/// <summary>The PDF experiment of the article on pooling: a library that does its work on streams.</summary>
internal sealed class PdfPageOrder : WorkExperiment
{
    // The difference is small beside the work, so that it takes many rounds to see it.
    private const int Rounds = 15;
    private const int QuickRounds = 5;
    private const int RoundsOfLargeFiles = 3;
    private const int LargeFile = 8 << 20;
    private const int DocumentsPerRound = 4;

    public override string Id => "streams-pdf";

    public override string Group => Catalog.StreamGroup;

    public override string Title => "Pages of a PDF reordered and removed";

    public override string Question => "What do pooled streams do for code that reads and writes documents on streams?";

    public override string Method =>
        "The experiment of the article 'Pooling in C#': a PDF of 40 pages and 850 KB, generated or named by --pdf, is "
        + "copied into a stream; PDFsharp reads it from there and writes the pages in reverse order, without every fourth, "
        + "to another stream. In the article, with another PDF library and on another machine, RecyclableMemoryStream took "
        + "5 % more time than MemoryStream and allocated 10 % less.";

    public override IReadOnlyList<string> ParameterNames => ["bytes"];

    public override string OperationName => "document";

    protected override string RoundName => "round";

    protected override string SpeedTitle => "Throughput (more is better)";

    protected override string SpeedUnit => "documents/s";

    public override IReadOnlyList<Cell> Plan(BenchPlan plan)
    {
        var document = PdfInput.Read(plan.Pdf);
        var rounds = document.Length > LargeFile ? RoundsOfLargeFiles : plan.Quick ? QuickRounds : Rounds;
        return [.. plan.FewAndMany.Select(threads => CellOf(threads, document) with { Rounds = rounds })];
    }

    public override IReadOnlyList<Cell> PlanWarmUp(BenchPlan plan) =>
        [.. plan.FewAndMany.Select(threads => CellOf(threads, PdfSample.Bytes))];

    public override string Describe(Measurement measurement) =>
        $"{Units.Bytes(measurement.Parameters[0])}, {Units.Threads(measurement.Threads)}";

    protected override double Speed(Measurement result) => 1e9 / result.Nanoseconds;

    protected override string SpeedText(double speed) => $"{Units.Digits(speed)}/s";

    private static Cell CellOf(int threads, byte[] document) => new("", threads, [document.Length],
    [
        new Contender<ReorderPages<FreshStreams, MemoryStream>>(RivalNames.NoPool, _ => new(_ => new(default, document)))
        {
            CallsPerRound = DocumentsPerRound,
        },
        new Contender<ReorderPages<RentedStreams, PooledStream>>(RivalNames.Poolhouse, _ =>
        {
            var pool = new PrivateStreamPool();
            return new(_ => new(new(pool.Pool), document), pool);
        })
        {
            CallsPerRound = DocumentsPerRound,
        },
        new Contender<ReorderPages<RecyclableStreams, RecyclableMemoryStream>>(RivalNames.Recyclable, _ =>
        {
            var manager = RecyclableStreams.CreateManager();
            return new(_ => new(new(manager), document));
        })
        {
            CallsPerRound = DocumentsPerRound,
        },
    ]);
}
