using System.Runtime.CompilerServices;

namespace Poolhouse.Streams.Blocks;

/// <summary>The blocks that hold the bytes of a stream, in order: where each byte is.</summary>
// Invariants
//   block i holds the bytes [Start, Start + Size) of the stream; the first starts at 0, each starts where the previous one ends
//   Capacity is where the next block would start
// Not thread safe. Several threads may read it while no thread changes it.
internal struct BlockList
{
    // The list keeps its capacity up to this size: 512 blocks are the most that the array pool can retain with the default
    // budget.
    public const int MaxKeptBlocks = 512;
    private const int InitialBlocks = 4;

    private StreamBlock[] _blocks;

    public BlockList(byte[] first)
    {
        _blocks = new StreamBlock[InitialBlocks];
        Begin(first);
    }

    public int Count { readonly get; private set; }

    public long Capacity { readonly get; private set; }

    public readonly ref readonly StreamBlock this[int index] => ref _blocks[index];

    /// <summary>Removes all blocks but one, which the list starts with.</summary>
    public void Begin(byte[] first)
    {
        if (_blocks.Length > MaxKeptBlocks)
        {
            _blocks = new StreamBlock[InitialBlocks];
        }
        else
        {
            _blocks.AsSpan(0, Count).Clear();
        }

        Count = 0;
        Capacity = 0;
        Add(first);
    }

    /// <summary>Ensures that adding one more block needs no memory.</summary>
    public void ReserveOne()
    {
        if (Count == _blocks.Length)
        {
            Array.Resize(ref _blocks, Count * 2);
        }
    }

    /// <summary>Adds a block, for which there is room; see <see cref="ReserveOne"/>.</summary>
    public void Add(byte[] array)
    {
        _blocks[Count++] = new StreamBlock(array, Capacity, array.Length);
        Capacity += array.Length;
    }

    public void RemoveLast()
    {
        Capacity = _blocks[--Count].Start;
        _blocks[Count] = default;
    }

    /// <summary>Shortens the last block, so that the list ends at the position.</summary>
    public void EndAt(long position)
    {
        if (Count > 0)
        {
            ref var last = ref _blocks[Count - 1];
            last = new StreamBlock(last.Array, last.Start, (int)(position - last.Start));
        }

        Capacity = position;
    }

    /// <summary>
    /// Returns the index of the block that holds the byte at <paramref name="position"/>, which is below <see cref="Capacity"/>.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public readonly int Find(long position) => position < _blocks[0].Size ? 0 : Search(position);

    public readonly void CopyIn(long position, ReadOnlySpan<byte> source)
    {
        if (source.IsEmpty)
        {
            return;
        }

        ThrowIfBeyond(position + source.Length);
        var index = Find(position);
        ref readonly var block = ref _blocks[index];
        var offset = (int)(position - block.Start);
        var first = Math.Min(source.Length, block.Size - offset);
        if (first == source.Length)
        {
            source.CopyTo(block.Array.AsSpan(offset));
        }
        else if (source.Overlaps(block.Array))
        {
            // The stream is written with its own bytes: those that the first piece would overwrite must be copied before.
            CopyIn(position + first, source[first..]);
            source[..first].CopyTo(block.Array.AsSpan(offset));
        }
        else
        {
            source[..first].CopyTo(block.Array.AsSpan(offset));
            CopyInFrom(index + 1, source[first..]);
        }
    }

    public readonly void CopyOut(long position, Span<byte> destination)
    {
        if (destination.IsEmpty)
        {
            return;
        }

        ThrowIfBeyond(position + destination.Length);
        var index = Find(position);
        var offset = (int)(position - _blocks[index].Start);
        while (true)
        {
            ref readonly var block = ref _blocks[index++];
            var count = Math.Min(destination.Length, block.Size - offset);
            block.Array.AsSpan(offset, count).CopyTo(destination);
            if (count == destination.Length)
            {
                return;
            }

            destination = destination[count..];
            offset = 0;
        }
    }

    /// <summary>
    /// Returns the part of one block from a position on, up to <paramref name="end"/>, which is after it and at most
    /// <see cref="Capacity"/>. The part is not empty, so that a loop over the parts ends.
    /// </summary>
    public readonly ArraySegment<byte> PieceAt(long position, long end)
    {
        ThrowIfBeyond(end);
        ref readonly var block = ref _blocks[Find(position)];
        var offset = (int)(position - block.Start);
        return new ArraySegment<byte>(block.Array, offset, (int)Math.Min(end - position, block.Size - offset));
    }

    public readonly void Clear(long from, long to)
    {
        while (from < to)
        {
            var piece = PieceAt(from, to);
            piece.AsSpan().Clear();
            from += piece.Count;
        }
    }

    // Beyond the capacity there is no block. The content never ends there, unless two threads use the stream at the same time.
    public readonly void ThrowIfBeyond(long end)
    {
        if (end > Capacity)
        {
            throw StreamErrors.UsedConcurrently();
        }
    }

    private readonly int Search(long position)
    {
        var low = 1;
        var high = Count - 1;
        while (low < high)
        {
            var middle = (low + high + 1) >>> 1;
            if (_blocks[middle].Start <= position)
            {
                low = middle;
            }
            else
            {
                high = middle - 1;
            }
        }

        return low;
    }

    private readonly void CopyInFrom(int index, ReadOnlySpan<byte> source)
    {
        while (!source.IsEmpty)
        {
            ref readonly var block = ref _blocks[index++];
            var count = Math.Min(source.Length, block.Size);
            source[..count].CopyTo(block.Array);
            source = source[count..];
        }
    }
}
