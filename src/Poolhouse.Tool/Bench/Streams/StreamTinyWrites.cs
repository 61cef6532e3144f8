using Poolhouse.Tool.Bench.Measuring;
using Poolhouse.Tool.Bench.Streams.Work;

namespace Poolhouse.Tool.Bench.Streams;

/// <summary>What a single small write costs.</summary>
internal sealed class StreamTinyWrites : StreamSweep
{
    private const string Small = "6 bytes each";
    private const string Single = "WriteByte";

    public override string Id => "streams-tiny-writes";

    public override string Title => "Tiny writes";

    public override string Question => "What does each write cost when a stream is filled by 6 bytes, or byte by byte?";

    public override string Method =>
        "Every thread fills a stream with writes of 6 bytes, or with WriteByte, and disposes it; a write's share of the whole. "
        + "'toolkit's writer' is the ArrayPoolBufferWriter of the CommunityToolkit as a stream, which can only be written.";

    public override string OperationName => "write";

    protected override IReadOnlyList<(string Scenario, bool OnManyThreads)> Scenarios => [(Small, true), (Single, true)];

    protected override IReadOnlyList<int> Lengths(bool isQuick) =>
        isQuick ? [1 << 10, 256 << 10] : [1 << 10, 32 << 10, 1 << 20];

    protected override IReadOnlyList<Contender> ContendersOf(string scenario, int length) => scenario == Small
        ? StreamContenders.WithWriter(() => new WriteSmall(length))
        : StreamContenders.WithWriter(() => new WriteSingle(length));
}
