using System.Buffers;
using System.Runtime.CompilerServices;
using Poolhouse.Buffers;

namespace Poolhouse.Internal;

/// <summary>The blocks of one stream, in order: a small one of its own, and what it rents from an array pool as it grows.</summary>
// Invariants
//   block i holds the bytes [Start, Start + Size) of the stream; the first starts at 0, each starts where the one before ends
//   Capacity is where the next block would start
//   an array is in one chain at a time, and leaves it once, through GiveBack; the chain's own first block stays with it
//   an array that leaves while a copy reads the chain is dropped, because the copy's destination may be reading it right now (I1)
// Not thread safe: a chain belongs to one stream, or to one sequence that was detached from it. Reading by several threads is
// fine, and a copy may end on another thread than it began on.
internal sealed class BlockChain
{
    // Room for the list of blocks is kept up to here: 512 blocks are what the default budget of the array pool can retain at all.
    private const int MostKept = 512;
    private const int FewBlocks = 4;

    private readonly TieredArrayPool<byte> _arrays;
    private readonly int _firstSize;
    private readonly bool _clears;

    // So that short streams need no array pool. Renewed when a copy still reads it.
    private byte[] _first;
    private Block[] _blocks = new Block[FewBlocks];
    private BlockSegment?[] _segments = [];

    // The length for which the segments are linked, or -1.
    private long _linkedLength = -1;

    private int _borrowers;

    public BlockChain(TieredArrayPool<byte> arrays, int firstSize)
    {
        _arrays = arrays;
        _firstSize = firstSize;
        _clears = arrays.Cache.ClearsOnReturn;
        _first = new byte[firstSize];
        Begin();
    }

    /// <summary>Whether a copy is under way that reads the blocks and cannot be stopped at once.</summary>
    public bool IsBorrowed => Volatile.Read(ref _borrowers) != 0;

    public int Count { get; private set; }

    public long Capacity { get; private set; }

    public ref readonly Block this[int index] => ref _blocks[index];

    public void Borrow() => Interlocked.Increment(ref _borrowers);

    public void EndBorrowing() => Interlocked.Decrement(ref _borrowers);

    /// <summary>Adds a block of at least <paramref name="size"/> bytes, whatever is in it.</summary>
    public ref readonly Block Append(int size)
    {
        // First of all what can fail for want of memory, so that no array is lost on the way.
        if (Count == _blocks.Length)
        {
            Array.Resize(ref _blocks, Count * 2);
        }

        var array = _arrays.Rent(size);
        ref var block = ref _blocks[Count++];
        block = new Block(array, Capacity, array.Length);
        Capacity += array.Length;
        _linkedLength = -1;
        return ref block;
    }

    /// <summary>Which block holds the byte at <paramref name="position"/>, which is below <see cref="Capacity"/>.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public int Find(long position) => position < _blocks[0].Size ? 0 : Search(position);

    public void CopyIn(long position, ReadOnlySpan<byte> source)
    {
        if (source.IsEmpty)
        {
            return;
        }

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
            // The stream is written with bytes of its own: those that the first piece would overwrite have to leave before.
            CopyIn(position + first, source[first..]);
            source[..first].CopyTo(block.Array.AsSpan(offset));
        }
        else
        {
            source[..first].CopyTo(block.Array.AsSpan(offset));
            CopyInFrom(index + 1, source[first..]);
        }
    }

    public void CopyOut(long position, Span<byte> destination)
    {
        if (destination.IsEmpty)
        {
            return;
        }

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
    /// What lies in one block from a position on, as far as <paramref name="end"/>, which is at most <see cref="Capacity"/>.
    /// </summary>
    public ArraySegment<byte> PieceAt(long position, long end)
    {
        ref readonly var block = ref _blocks[Find(position)];
        var offset = (int)(position - block.Start);
        return new ArraySegment<byte>(block.Array, offset, (int)Math.Min(end - position, block.Size - offset));
    }

    public void Clear(long from, long to)
    {
        while (from < to)
        {
            var piece = PieceAt(from, to);
            piece.AsSpan().Clear();
            from += piece.Count;
        }
    }

    /// <summary>
    /// Makes the stream end its blocks here: what follows goes back, and the block that holds the position becomes shorter.
    /// </summary>
    public void CutAt(long position)
    {
        while (Count > 0 && _blocks[Count - 1].Start >= position)
        {
            GiveBack(_blocks[--Count].Array);
            _blocks[Count] = default;
        }

        if (Count > 0)
        {
            ref var last = ref _blocks[Count - 1];
            last = new Block(last.Array, last.Start, (int)(position - last.Start));
        }

        Capacity = position;
        _linkedLength = -1;
    }

    /// <summary>Replaces the blocks by a single one with the same content, of at least <paramref name="length"/> bytes.</summary>
    public void Join(int length)
    {
        var array = _arrays.Rent(length);
        CopyOut(0, array.AsSpan(0, length));
        GiveAllBack();
        _blocks[0] = new Block(array, 0, array.Length);
        Count = 1;
        Capacity = array.Length;
    }

    /// <summary>The first <paramref name="length"/> bytes, not copied.</summary>
    public ReadOnlySequence<byte> ToSequence(long length)
    {
        if (length == 0)
        {
            return ReadOnlySequence<byte>.Empty;
        }

        if (length <= _blocks[0].Size)
        {
            return new ReadOnlySequence<byte>(_blocks[0].Array, 0, (int)length);
        }

        var last = Find(length - 1);
        if (_linkedLength != length)
        {
            Link(last, length);
            _linkedLength = length;
        }

        return new ReadOnlySequence<byte>(_segments[0]!, 0, _segments[last]!, (int)(length - _blocks[last].Start));
    }

    /// <summary>Overwrites everything, if the array pool's arrays are cleared: for blocks that go nowhere.</summary>
    public void Wipe()
    {
        if (_clears && !IsBorrowed)
        {
            for (var index = 0; index < Count; index++)
            {
                _blocks[index].Array.AsSpan().Clear();
            }
        }
    }

    /// <summary>Begins again, if there is nothing to do for it: the first block alone was used, and is not cleared.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryResetAtOnce() => Count == 1 && _blocks[0].Array == _first && !_clears && _linkedLength < 0;

    /// <summary>Gives all arrays back and begins again with the first block alone.</summary>
    public void Reset()
    {
        GiveAllBack();
        if (_blocks.Length > MostKept)
        {
            _blocks = new Block[FewBlocks];
            _segments = [];
        }

        Begin();
    }

    private void Begin()
    {
        _blocks[0] = new Block(_first, 0, _firstSize);
        Count = 1;
        Capacity = _firstSize;
    }

    private void GiveAllBack()
    {
        for (var index = 0; index < Count; index++)
        {
            GiveBack(_blocks[index].Array);
            _blocks[index] = default;
        }

        Count = 0;
        Capacity = 0;
        if (_linkedLength >= 0)
        {
            Unlink();
        }
    }

    private void GiveBack(byte[] array)
    {
        if (array == _first)
        {
            if (IsBorrowed)
            {
                _first = new byte[_firstSize];
            }
            else if (_clears)
            {
                array.AsSpan().Clear();
            }
        }
        else if (!IsBorrowed)
        {
            _arrays.Return(array);
        }
    }

    private int Search(long position)
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

    private void CopyInFrom(int index, ReadOnlySpan<byte> source)
    {
        while (!source.IsEmpty)
        {
            ref readonly var block = ref _blocks[index++];
            var count = Math.Min(source.Length, block.Size);
            source[..count].CopyTo(block.Array);
            source = source[count..];
        }
    }

    private void Link(int last, long length)
    {
        if (_segments.Length <= last)
        {
            Array.Resize(ref _segments, _blocks.Length);
        }

        for (var index = last; index >= 0; index--)
        {
            ref readonly var block = ref _blocks[index];
            var size = index == last ? (int)(length - block.Start) : block.Size;
            var segment = _segments[index] ??= new BlockSegment();
            segment.Set(block.Array.AsMemory(0, size), block.Start, index == last ? null : _segments[index + 1]);
        }
    }

    // Segments are used again, and must not keep returned arrays alive meanwhile.
    private void Unlink()
    {
        _linkedLength = -1;
        foreach (var segment in _segments)
        {
            segment?.Set(default, 0, next: null);
        }
    }

    /// <summary>A part of the stream.</summary>
    /// <param name="Array">Where it lies.</param>
    /// <param name="Start">Where it begins in the stream.</param>
    /// <param name="Size">How many bytes of the array belong to the stream: all, unless the block was cut.</param>
    internal readonly record struct Block(byte[] Array, long Start, int Size);
}
