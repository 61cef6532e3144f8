using System.Buffers;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.ExceptionServices;

namespace Poolhouse.Streams.Blocks;

/// <summary>
/// The arrays of one stream, and who may still use them: a small array of its own, and those it rents from an array pool as it
/// grows.
/// </summary>
// Invariants
//   an array is in one chain at a time: in its content, or a spare; the chain's own first block stays with it
//   a block that leaves the content is a spare until the chain ends, so no other user gets its memory before (I31)
//   a chain ends through TryEnd or Discard only: the blocks are returned to the array pool, or, while a copy reads them, are
//   dropped (I1)
//   if the array pool clears arrays, abandoned blocks are cleared as well: by Discard, or by the last copy that reads them (I22)
// Order of writes: see PooledStream._body for copies against the end of the stream
// Not thread safe: a chain belongs to one stream, or to one sequence that was detached from it. Several threads may read it and
// call ToSequence while no thread writes, and a copy may end on a different thread than the one it started on.
internal sealed class BlockChain
{
    // Added to the number of borrowers when the chain is abandoned to them.
    private const int Abandoned = int.MinValue;

    private readonly TieredArrayPool<byte> _arrays;
    private readonly bool _clears;

    // The chain's own block, so that short streams need no array pool.
    private readonly byte[] _first;

    private BlockList _content;
    private LinkedSegments _segments = new();
    private SpareBlocks _spares;

    // Blocks that start before this position were exposed since the last known change of the content, as a sequence or an array:
    // what was exposed before that is no longer valid.
    private long _exposedTo;

    // False only while the content is the whole first block, there are no spares or links, and arrays are not cleared; see
    // TryResetAtOnce.
    private bool _needsReset;
    private int _borrowers;

    // Thrown by the array pool when the chain ended, for a block that user code had returned by mistake.
    private PoolMisuseException? _misuse;

    public BlockChain(TieredArrayPool<byte> arrays, int firstSize)
    {
        _arrays = arrays;
        _clears = arrays.Cache.ClearsOnReturn;
        _first = new byte[firstSize];
        _content = new BlockList(_first);
        _needsReset = _clears;
    }

    /// <summary>Whether a copy is in progress that reads or fills the blocks and cannot be stopped immediately.</summary>
    public bool IsBorrowed => Volatile.Read(ref _borrowers) != 0;

    /// <summary>The blocks that hold the bytes of the stream.</summary>
    public ref readonly BlockList Content => ref _content;

    /// <summary>The chain's own block.</summary>
    public byte[] First => _first;

    /// <summary>Begins a copy that reads or fills the blocks: they are not reused before it ends.</summary>
    public Borrowing Borrow()
    {
        Interlocked.Increment(ref _borrowers);
        return new Borrowing(this);
    }

    /// <summary>Runs a copy that reads or fills the blocks: they are not reused before it ends.</summary>
    public async Task WhileBorrowedAsync(Func<Task> copy)
    {
        using var borrowed = Borrow();
        await copy().ConfigureAwait(false);
    }

    /// <summary>Records that user code may still advance over memory of a block that is about to leave the content.</summary>
    public void NoteOffered(byte[] block) => _spares.Offer(block);

    /// <summary>Records that memory offered before is no longer valid.</summary>
    public void NoteWithdrawn() => _spares.Offer(null);

    /// <summary>Records that the content has changed: memory exposed or offered before is no longer valid.</summary>
    public void NoteChange()
    {
        _exposedTo = 0;
        if (!IsBorrowed)
        {
            _spares.Release();
        }
    }

    /// <summary>Ensures that <see cref="CutAt"/> needs no memory.</summary>
    public void ReserveSpares() => _spares.Reserve(_content.Count);

    /// <summary>Offers a spare, which is not part of the content and is returned with the blocks.</summary>
    public byte[] OfferSpare(int size)
    {
        _spares.Reserve(1);
        _needsReset = true;
        var array = RentBlock(size);
        _spares.Add(array, isValid: false);
        _spares.Offer(array);
        return array;
    }

    /// <summary>Adds a block of at least <paramref name="size"/> bytes, whose content is undefined.</summary>
    public void Append(int size)
    {
        _needsReset = true;

        // Allocations that can fail come first, so that no array is lost if they do.
        _content.ReserveOne();
        _content.Add(RentBlock(size));
        _segments.Forget();
    }

    /// <summary>
    /// Ends the stream's blocks at the position: later blocks become spares, and the block that holds the position becomes
    /// shorter. See <see cref="ReserveSpares"/>.
    /// </summary>
    public void CutAt(long position)
    {
        _needsReset = true;
        while (_content.Count > 0 && _content[_content.Count - 1].Start >= position)
        {
            RemoveLast();
        }

        _content.EndAt(position);
        _segments.Forget();
    }

    /// <summary>Rents one block for the whole content, with a copy of its first <paramref name="length"/> bytes.</summary>
    /// <remarks>The capacity does not shrink, unless it exceeds the maximum length of an array.</remarks>
    public byte[] RentJoined(int length)
    {
        _content.ThrowIfBeyond(length);
        var array = RentBlock(_content.Capacity <= Array.MaxLength ? (int)_content.Capacity : length);
        _content.CopyOut(0, array.AsSpan(0, length));
        return array;
    }

    /// <summary>Replaces the blocks with a single one.</summary>
    public void ReplaceWith(byte[] array)
    {
        CutAt(0);
        _content.Add(array);
    }

    /// <summary>
    /// Returns the array of the only block to user code. A block that was shortened gets its full length again, so that the
    /// capacity is the array's length.
    /// </summary>
    public byte[] Expose()
    {
        var array = _content[0].Array;
        _content.EndAt(array.Length);
        _exposedTo = array.Length;
        return array;
    }

    /// <summary>Returns the first <paramref name="length"/> bytes, without copying them.</summary>
    public ReadOnlySequence<byte> ToSequence(long length)
    {
        if (length == 0)
        {
            return ReadOnlySequence<byte>.Empty;
        }

        _content.ThrowIfBeyond(length);

        // Several threads may be here, with the same length.
        _exposedTo = Math.Max(_exposedTo, length);
        if (length <= _content[0].Size)
        {
            return new ReadOnlySequence<byte>(_content[0].Array, 0, (int)length);
        }

        _needsReset = true;
        return _segments.ToSequence(in _content, length);
    }

    /// <summary>Links the next sequence again, because this one was read while another thread changed the blocks.</summary>
    public void ForgetLinks() => _segments.Forget();

    /// <summary>Ends the chain: the blocks are returned, and the chain starts again with only the first one.</summary>
    /// <returns>
    /// False if a copy is still reading the blocks: then neither they nor this chain may ever be reused. False also after a
    /// misuse: see <see cref="ThrowIfMisused"/>.
    /// </returns>
    public bool TryEnd()
    {
        if (IsBorrowed)
        {
            Discard();
            return false;
        }

        Reset();
        return _misuse is null;
    }

    /// <summary>Drops the blocks; they are overwritten if the array pool clears its arrays.</summary>
    public void Discard()
    {
        EndBlocks(areReturned: false);

        // Interlocked against the end of a copy: either the last copy sees the mark and clears, or this thread sees that there is
        // no copy.
        if (_clears && Interlocked.Or(ref _borrowers, Abandoned) == 0)
        {
            ClearAll();
        }
    }

    /// <summary>Resets the chain if no work is needed for it: only the first block was used, and it is not cleared.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryResetAtOnce()
    {
        if (_needsReset)
        {
            return false;
        }

        Debug.Assert(_content.Count == 1 && _content[0].Array == _first && _spares.Count == 0, "Blocks would be lost.");
        _exposedTo = 0;
        return true;
    }

    /// <summary>Throws the exception of the array pool for a block that user code had returned before the chain ended.</summary>
    public void ThrowIfMisused()
    {
        if (_misuse is not null)
        {
            ExceptionDispatchInfo.Throw(_misuse);
        }
    }

    private void Reset()
    {
        EndBlocks(areReturned: true);
        _spares.Clear();
        if (_segments.WereLinked)
        {
            _segments.Unlink();
        }

        _content.Begin(_first);
        _exposedTo = 0;
        _needsReset = _clears;
    }

    private byte[] RentBlock(int size) => (IsBorrowed ? null : _spares.TryTake(size)) ?? _arrays.Rent(size);

    // The only way for a block to leave the content.
    private void RemoveLast()
    {
        var (array, start, _) = _content[_content.Count - 1];
        _spares.Add(array, isValid: start < _exposedTo || IsBorrowed);
        _content.RemoveLast();

        // What is appended later was not exposed.
        _exposedTo = Math.Min(_exposedTo, start);
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

    private void EndBlocks(bool areReturned)
    {
        for (var index = 0; index < _content.Count; index++)
        {
            EndBlock(_content[index].Array, areReturned);
        }

        for (var index = 0; index < _spares.Count; index++)
        {
            EndBlock(_spares[index], areReturned);
        }
    }

    // The other blocks end also if the array pool throws for this one.
    private void EndBlock(byte[] array, bool isReturned)
    {
        try
        {
            if (isReturned)
            {
                GiveBack(array);
            }
            else if (array != _first)
            {
                _arrays.Cache.TryDiscard(array);
            }
        }
        catch (PoolMisuseException misuse)
        {
            _misuse ??= misuse;
        }
    }

    private void ClearAll()
    {
        for (var index = 0; index < _content.Count; index++)
        {
            _content[index].Array.AsSpan().Clear();
        }

        for (var index = 0; index < _spares.Count; index++)
        {
            _spares[index].AsSpan().Clear();
        }

        _first.AsSpan().Clear();
    }

    /// <summary>A copy in progress.</summary>
    public readonly record struct Borrowing(BlockChain Blocks) : IDisposable
    {
        // Interlocked, so that of several copies that end concurrently one is the last, and sees everything that was written.
        public void Dispose()
        {
            if (Interlocked.Decrement(ref Blocks._borrowers) == Abandoned)
            {
                Blocks.ClearAll();
            }
        }
    }
}
