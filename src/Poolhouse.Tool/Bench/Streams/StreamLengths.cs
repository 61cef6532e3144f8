using Poolhouse.Tool.Bench.Measuring;
using Poolhouse.Tool.Bench.Streams.Work;

namespace Poolhouse.Tool.Bench.Streams;

/// <summary>A stream is written, rewound, read and disposed.</summary>
internal sealed class StreamLengths : StreamSweep
{
    private const string Unknown = "length unknown";
    private const string Known = "length known";

    public override string Id => "streams-lengths";

    public override string Title => "Streams of 100 bytes to 8 MiB";

    public override string Question => "From what length on is a pooled stream faster than a new MemoryStream?";

    public override string Method =>
        "Every thread writes a stream in chunks of 4 KiB, rewinds it, reads it in such chunks and disposes it. Without a "
        + "pool it is a new MemoryStream, which grows by copying itself; Poolhouse is StreamPool.Rent. Recyclable is "
        + "RecyclableMemoryStream 4.0.1 with its default sizes, AggressiveBufferReturn, and limits of 64 MiB. Where the "
        + "length is known, it is MemoryStream's capacity, and the pool's sizeHint.";

    protected override IReadOnlyList<(string Scenario, bool OnManyThreads)> Scenarios => [(Unknown, true), (Known, false)];

    protected override IReadOnlyList<int> Lengths(bool isQuick) => isQuick
        ? [100, 4 << 10, 64 << 10, 1 << 20]
        : [100, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 8 << 20];

    protected override IReadOnlyList<Contender> ContendersOf(string scenario, int length) =>
        StreamContenders.Of(() => new WriteAndRead(length, scenario == Known));
}
