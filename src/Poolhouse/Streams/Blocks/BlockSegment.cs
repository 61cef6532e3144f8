using System.Buffers;

namespace Poolhouse.Streams.Blocks;

/// <summary>A block as part of a sequence. Reused together with its chain.</summary>
internal sealed class BlockSegment : ReadOnlySequenceSegment<byte>
{
    public void Set(ReadOnlyMemory<byte> memory, long runningIndex, BlockSegment? next)
    {
        Memory = memory;
        RunningIndex = runningIndex;
        Next = next;
    }
}
