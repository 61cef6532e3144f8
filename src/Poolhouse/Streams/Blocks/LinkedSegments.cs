using System.Buffers;

namespace Poolhouse.Streams.Blocks;

/// <summary>The segments that present the blocks of a stream as one sequence. Reused until the stream ends.</summary>
// Order of writes: the segments are linked, then _linkedLength is published: a thread that sees this length finds them linked.
// Not thread safe, except that several threads may call ToSequence at the same time.
internal struct LinkedSegments()
{
    private readonly Gate _gate = new();
    private BlockSegment?[] _segments = [];

    // The length for which the segments are linked, or -1.
    private long _linkedLength = -1;

    /// <summary>Whether segments refer to blocks.</summary>
    public bool WereLinked { get; private set; }

    /// <summary>Returns the first bytes of the blocks, which are in more than one of them.</summary>
    public ReadOnlySequence<byte> ToSequence(in BlockList blocks, long length)
    {
        var last = blocks.Find(length - 1);
        if (Volatile.Read(ref _linkedLength) != length)
        {
            Link(in blocks, last, length);
        }

        return new ReadOnlySequence<byte>(_segments[0]!, 0, _segments[last]!, (int)(length - blocks[last].Start));
    }

    /// <summary>The blocks have changed: the next sequence is linked again.</summary>
    public void Forget() => Volatile.Write(ref _linkedLength, -1);

    /// <summary>
    /// Removes all references to blocks: the segments must not keep returned arrays alive until they are used again.
    /// </summary>
    public void Unlink()
    {
        _linkedLength = -1;
        WereLinked = false;
        if (_segments.Length > BlockList.MaxKeptBlocks)
        {
            _segments = [];
        }

        foreach (var segment in _segments)
        {
            segment?.Set(default, 0, next: null);
        }
    }

    private void Link(in BlockList blocks, int last, long length)
    {
        using (_gate.Enter())
        {
            if (_linkedLength == length)
            {
                // Another thread has linked them.
                return;
            }

            if (_segments.Length <= last)
            {
                // With room for some blocks more, so that a stream that grows does not need new ones each time.
                Array.Resize(ref _segments, Math.Max(last + 1, _segments.Length * 2));
            }

            WereLinked = true;
            for (var index = last; index >= 0; index--)
            {
                ref readonly var block = ref blocks[index];
                var size = index == last ? (int)(length - block.Start) : block.Size;
                var segment = _segments[index] ??= new BlockSegment();
                segment.Set(block.Array.AsMemory(0, size), block.Start, index == last ? null : _segments[index + 1]);
            }

            // Last: a thread that reads this length uses the segments without the gate.
            Volatile.Write(ref _linkedLength, length);
        }
    }
}
