using CommunityToolkit.HighPerformance;
using CommunityToolkit.HighPerformance.Buffers;

namespace Poolhouse.Tool.Bench.Streams.Sources;

/// <summary>The toolkit's writer over pooled arrays, as the write-only stream that it can be.</summary>
internal readonly struct ToolkitWriters : IStreamSource<ArrayPoolBufferWriter<byte>>
{
    public ArrayPoolBufferWriter<byte> Take(long length) => length == 0 ? new() : new((int)length);

    public Stream Open(ArrayPoolBufferWriter<byte> held) => held.AsStream();

    public void Give(ArrayPoolBufferWriter<byte> held) => held.Dispose();
}
