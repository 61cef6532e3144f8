using Poolhouse.Tool.Bench.Measuring;
using Poolhouse.Tool.Bench.Streams.Work;

namespace Poolhouse.Tool.Bench.Streams;

/// <summary>Something is copied into a stream and out of it again.</summary>
internal sealed class StreamCopies : StreamSweep
{
    public override string Id => "streams-copy";

    public override string Title => "CopyTo, in and out";

    public override string Question => "What does it cost to buffer a body between its source and its destination?";

    public override string Method =>
        "Every thread copies a source, which is read like a file, into a stream with CopyTo, rewinds it, copies it with CopyTo "
        + "to a sink that takes bytes like a socket, and disposes it.";

    protected override IReadOnlyList<(string Scenario, bool OnManyThreads)> Scenarios => [("", true)];

    protected override IReadOnlyList<int> Lengths(bool isQuick) =>
        isQuick ? [4 << 10, 1 << 20] : [4 << 10, 64 << 10, 1 << 20, 8 << 20];

    protected override IReadOnlyList<Contender> ContendersOf(string scenario, int length) =>
        StreamContenders.Of(() => new CopyInAndOut(length));
}
