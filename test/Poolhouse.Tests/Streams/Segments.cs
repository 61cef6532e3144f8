using System.Buffers;

namespace Poolhouse.Tests.Streams;

/// <summary>Sequences of several pieces.</summary>
internal static class Segments
{
    /// <summary>The bytes, cut into pieces of these lengths, of which some may be empty.</summary>
    public static ReadOnlySequence<byte> Cut(byte[] bytes, params IReadOnlyList<int> lengths)
    {
        var first = new Segment(default, 0);
        var last = first;
        var start = 0;
        foreach (var length in lengths)
        {
            last = last.Append(bytes.AsMemory(start, length));
            start += length;
        }

        Assert.Equal(bytes.Length, start);
        return new ReadOnlySequence<byte>(first, 0, last, last.Memory.Length);
    }

    private sealed class Segment : ReadOnlySequenceSegment<byte>
    {
        public Segment(ReadOnlyMemory<byte> memory, long runningIndex)
        {
            Memory = memory;
            RunningIndex = runningIndex;
        }

        public Segment Append(ReadOnlyMemory<byte> memory)
        {
            var next = new Segment(memory, RunningIndex + Memory.Length);
            Next = next;
            return next;
        }
    }
}
