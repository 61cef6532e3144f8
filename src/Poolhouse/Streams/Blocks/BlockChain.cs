using System.Buffers;
using System.Runtime.CompilerServices;

namespace Poolhouse.Streams.Blocks;

/// <summary>
/// The blocks of one stream, in order: a small one of its own, and those it rents from an array pool as it grows.
/// </summary>
// Invariants
//   block i holds the bytes [Start, Start + Size) of the stream; the first starts at 0, each starts where the previous one ends
//   Capacity is where the next block would start
//   an array is in one chain at a time: in its content, or held; the chain's own first block stays with it
//   a block leaves the content through Remove only. While user code may hold memory of the chain (it was exposed or offered, or a
//   copy reads it), a removed block is held until the chain ends, so that no other user gets its memory before (I31)
//   a chain ends through End only: the blocks are returned to the array pool, or, while a copy reads them, are dropped (I1)
//   if the array pool clears arrays, abandoned blocks are cleared as well: by End, or by the last copy that reads them (I22)
// Order of writes: see PooledStream._body for copies against the end of the stream
// Not thread safe: a chain belongs to one stream, or to one sequence that was detached from it. Several threads may read it and call
// ToSequence while no thread writes, and a copy may end on a different thread than the one it started on.
internal sealed class BlockChain
{
    // The list of blocks keeps its capacity up to this size: 512 blocks are the most that the array pool can retain with the
    // default budget.
    private const int MostKept = 512;
    private const int FewBlocks = 4;

    // Added to the number of borrowers when the chain is abandoned to them.
    private const int Abandoned = int.MinValue;

    private readonly TieredArrayPool<byte> _arrays;
    private readonly int _firstSize;
    private readonly bool _clears;

    // The chain's own block, so that short streams need no array pool.
    private readonly byte[] _first;

    private HeldBlocks _held;

    // User code may hold memory of this chain: it received a sequence, an array, or memory to write to.
    private bool _isShown;

    // The same since the last known change of the content: anything exposed before that is no longer valid.
    private bool _isShownNow;

    // The chain is not in the state in which Begin left it, or its arrays are cleared; see TryResetAtOnce.
    private bool _needsReset;
    private Block[] _blocks = new Block[FewBlocks];
    private BlockSegment?[] _segments = [];

    // The length for which the segments are linked, or -1.
    private long _linkedLength = -1;
    private int _isLinking;
    private bool _wasLinked;

    private int _borrowers;

    public BlockChain(TieredArrayPool<byte> arrays, int firstSize)
    {
        _arrays = arrays;
        _firstSize = firstSize;
        _clears = arrays.Cache.ClearsOnReturn;
        _first = new byte[firstSize];
        Begin();
    }

    /// <summary>Whether a copy is in progress that reads the blocks and cannot be stopped immediately.</summary>
    public bool IsBorrowed => Volatile.Read(ref _borrowers) != 0;

    public int Count { get; private set; }

    public long Capacity { get; private set; }

    public ref readonly Block this[int index] => ref _blocks[index];

    public void Borrow() => Interlocked.Increment(ref _borrowers);

    public void EndBorrowing()
    {
        // Interlocked, so that of several copies that end concurrently one is the last, and sees everything that was written.
        if (Interlocked.Decrement(ref _borrowers) == Abandoned)
        {
            ClearAll();
        }
    }

    /// <summary>Records that user code received memory to write to, and whether it may still advance over it.</summary>
    public void NoteOffered(bool isValid)
    {
        _isShown = true;
        _isShownNow |= isValid;
    }

    /// <summary>Records that the content has changed: memory exposed or offered before is no longer valid.</summary>
    public void NoteChange()
    {
        _isShownNow = false;
        if (_held.Count > 0 && !IsBorrowed)
        {
            _held.NoteChange(_clears);
        }
    }

    /// <summary>Rents memory that is not part of the content and is returned with the blocks.</summary>
    public byte[] RentAside(int size)
    {
        var array = RentBlock(size);
        _held.Add(array);
        _isShown = _isShownNow = true;
        _needsReset = true;
        return array;
    }

    /// <summary>Adds a block of at least <paramref name="size"/> bytes, whose content is undefined.</summary>
    public ref readonly Block Append(int size)
    {
        // Allocations that can fail come first, so that no array is lost if they do.
        if (Count == _blocks.Length)
        {
            Array.Resize(ref _blocks, Count * 2);
        }

        var array = RentBlock(size);
        ref var block = ref _blocks[Count++];
        block = new Block(array, Capacity, array.Length);
        Capacity += array.Length;
        _linkedLength = -1;
        return ref block;
    }

    /// <summary>
    /// Returns the index of the block that holds the byte at <paramref name="position"/>, which is below <see cref="Capacity"/>.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public int Find(long position) => position < _blocks[0].Size ? 0 : Search(position);

    public void CopyIn(long position, ReadOnlySpan<byte> source)
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

    public void CopyOut(long position, Span<byte> destination)
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
    public ArraySegment<byte> PieceAt(long position, long end)
    {
        ThrowIfBeyond(end);
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
    /// Ends the stream's blocks at the position: later blocks are removed, and the block that holds the position becomes shorter.
    /// </summary>
    public void CutAt(long position)
    {
        _needsReset = true;
        while (Count > 0 && _blocks[Count - 1].Start >= position)
        {
            RemoveLast();
        }

        if (Count > 0)
        {
            ref var last = ref _blocks[Count - 1];
            last = new Block(last.Array, last.Start, (int)(position - last.Start));
        }

        Capacity = position;
        _linkedLength = -1;
    }

    /// <summary>Rents one block for the whole content, with a copy of its first <paramref name="length"/> bytes.</summary>
    /// <remarks>The capacity does not shrink, unless it exceeds the maximum length of an array.</remarks>
    public byte[] RentJoined(int length)
    {
        ThrowIfBeyond(length);
        var array = RentBlock(Capacity <= Array.MaxLength ? (int)Capacity : length);
        CopyOut(0, array.AsSpan(0, length));
        return array;
    }

    /// <summary>Replaces the blocks with a single one.</summary>
    public void ReplaceWith(byte[] array)
    {
        CutAt(0);
        _blocks[0] = new Block(array, 0, array.Length);
        Count = 1;
        Capacity = array.Length;
    }

    /// <summary>
    /// Returns the array of the only block. A block that was cut is restored, so that the capacity is the array's length.
    /// </summary>
    public byte[] Show()
    {
        ref var block = ref _blocks[0];
        block = new Block(block.Array, 0, block.Array.Length);
        Capacity = block.Size;
        _isShown = _isShownNow = true;
        return block.Array;
    }

    /// <summary>Returns the first <paramref name="length"/> bytes, without copying them.</summary>
    public ReadOnlySequence<byte> ToSequence(long length)
    {
        if (length == 0)
        {
            return ReadOnlySequence<byte>.Empty;
        }

        ThrowIfBeyond(length);
        _isShown = _isShownNow = true;
        if (length <= _blocks[0].Size)
        {
            return new ReadOnlySequence<byte>(_blocks[0].Array, 0, (int)length);
        }

        var last = Find(length - 1);
        if (Volatile.Read(ref _linkedLength) == length)
        {
            return Sequence(_segments, last, length);
        }

        // Two threads may be here: the first one links the chain's own segments, and any other gets segments that are not shared.
        if (Interlocked.Exchange(ref _isLinking, 1) != 0)
        {
            var own = new BlockSegment?[last + 1];
            Link(own, last, length);
            return Sequence(own, last, length);
        }

        if (_segments.Length <= last)
        {
            Array.Resize(ref _segments, _blocks.Length);
        }

        _wasLinked = true;
        _needsReset = true;
        Link(_segments, last, length);

        // Published last: a thread that sees this length finds the segments linked.
        Volatile.Write(ref _linkedLength, length);
        Volatile.Write(ref _isLinking, 0);
        return Sequence(_segments, last, length);
    }

    /// <summary>Links the next sequence again, because this one was read while another thread changed the blocks.</summary>
    public void ForgetLinks() => Volatile.Write(ref _linkedLength, -1);

    /// <summary>Ends the chain: the blocks are returned, and the chain starts again with only the first one.</summary>
    /// <returns>False if a copy is still reading the blocks: then neither they nor this chain may ever be reused.</returns>
    public bool TryEnd()
    {
        if (IsBorrowed)
        {
            Discard();
            return false;
        }

        Reset();
        return true;
    }

    /// <summary>Drops the blocks; they are overwritten if the array pool clears its arrays.</summary>
    public void Discard()
    {
        for (var index = 0; index < Count; index++)
        {
            CountDiscarded(_blocks[index].Array);
        }

        for (var index = 0; index < _held.Count; index++)
        {
            CountDiscarded(_held[index]);
        }

        // Interlocked against EndBorrowing: either the last copy sees the mark and clears, or this thread sees that there is no
        // copy.
        if (_clears && Interlocked.Or(ref _borrowers, Abandoned) == 0)
        {
            ClearAll();
        }
    }

    /// <summary>Resets the chain if no work is needed for it: only the first block was used, and it is not cleared.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryResetAtOnce()
    {
        if (Count != 1 || _blocks[0].Array != _first || _needsReset)
        {
            return false;
        }

        _isShown = false;
        _isShownNow = false;
        return true;
    }

    private void Reset()
    {
        for (var index = 0; index < Count; index++)
        {
            GiveBack(_blocks[index].Array);
            _blocks[index] = default;
        }

        for (var index = 0; index < _held.Count; index++)
        {
            GiveBack(_held[index]);
        }

        _held.Clear();
        if (_wasLinked)
        {
            Unlink();
        }

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
        _isShown = false;
        _isShownNow = false;
        _needsReset = _clears;
        _isLinking = 0;
    }

    private byte[] RentBlock(int size) => (IsBorrowed ? null : _held.TryTake(size, except: _first)) ?? _arrays.Rent(size);

    // The only way for a block to leave the content.
    private void RemoveLast()
    {
        var array = _blocks[Count - 1].Array;
        if (_isShown || IsBorrowed)
        {
            _held.Add(array);
            if (!_isShownNow)
            {
                NoteChange();
            }
        }
        else
        {
            GiveBack(array);
        }

        _blocks[--Count] = default;
    }

    private void GiveBack(byte[] array)
    {
        if (array != _first)
        {
            _arrays.Return(array);
        }
        else if (_clears)
        {
            array.AsSpan().Clear();
        }
    }

    private void CountDiscarded(byte[] array)
    {
        if (array != _first)
        {
            _arrays.Cache.CountDiscarded(array);
        }
    }

    private void ClearAll()
    {
        for (var index = 0; index < Count; index++)
        {
            _blocks[index].Array.AsSpan().Clear();
        }

        for (var index = 0; index < _held.Count; index++)
        {
            _held[index].AsSpan().Clear();
        }

        _first.AsSpan().Clear();
    }

    // Beyond the capacity there is no block. The content never ends there, unless two threads use the stream at the same time.
    private void ThrowIfBeyond(long end)
    {
        if (end > Capacity)
        {
            StreamErrors.ThrowUsedConcurrently();
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

    private void Link(BlockSegment?[] segments, int last, long length)
    {
        for (var index = last; index >= 0; index--)
        {
            ref readonly var block = ref _blocks[index];
            var size = index == last ? (int)(length - block.Start) : block.Size;
            var segment = segments[index] ??= new BlockSegment();
            segment.Set(block.Array.AsMemory(0, size), block.Start, index == last ? null : segments[index + 1]);
        }
    }

    private ReadOnlySequence<byte> Sequence(BlockSegment?[] segments, int last, long length) =>
        new(segments[0]!, 0, segments[last]!, (int)(length - _blocks[last].Start));

    // Segments are reused, and must not keep returned arrays alive meanwhile.
    private void Unlink()
    {
        _linkedLength = -1;
        _wasLinked = false;
        foreach (var segment in _segments)
        {
            segment?.Set(default, 0, next: null);
        }
    }

    /// <summary>A part of the stream.</summary>
    /// <param name="Array">The array that holds it.</param>
    /// <param name="Start">The position in the stream at which it starts.</param>
    /// <param name="Size">How many bytes of the array belong to the stream: all, unless the block was cut.</param>
    internal readonly record struct Block(byte[] Array, long Start, int Size);
}
