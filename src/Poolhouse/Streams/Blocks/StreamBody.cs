using System.Buffers;
using System.Runtime.CompilerServices;

namespace Poolhouse.Streams.Blocks;

/// <summary>The implementation of a pooled stream: its content, length and position. Used by one stream after another.</summary>
// Invariants
//   the cursor is at the position, given Length and the blocks; while memory is offered aside at the position, it is outside the
//   blocks, so that every write and move takes a slow path, which withdraws the offer
//   bytes below Length are the user's; those above it may be left over from others and are cleared before the length grows over
//   them
// The fast paths of a read and a write compare and change the fields of the cursor; everything else is a slow path. Copies longer
// than ShortCopy also check the mark, but are not changes.
// Not thread safe, like other streams. Several threads may use CopyOut, PieceAt and ToSequence while no thread writes.
// Two threads that use one stream by mistake
//   every slow path that changes blocks or the cursor is a change (see ChangeMark), of which one is in progress at a time; a
//   second thread gets an InvalidOperationException, and so does one that reads blocks while they change
//   the fast paths write only the index and the end of the data in the cursor, Length and the offer. Beside a change they can
//   leave any values there: Length above the capacity ends in an exception, and every other value is only wrong content. The
//   cursor's block is always a block of this stream, or empty
//   not prevented: a fast path that is in the middle of its copy while its block is returned continues to write to it. If the
//   copy is short, or the fast path has only the index left to store, the next stream of this body gets that index, and a read
//   may return bytes of that stream
internal sealed partial class StreamBody
{
    // A longer copy, which may take milliseconds, checks afterwards whether the stream was disposed meanwhile. A shorter one
    // takes some nanoseconds unless its thread is preempted.
    private const int ShortCopy = 1024;

    private BlockCursor _cursor = new();
    private BlockChain _blocks;

    public StreamBody(StreamPool pool)
    {
        Pool = pool;
        _blocks = new BlockChain(pool.Arrays, pool.FirstBlockSize);
        Locate(0);
    }

    public StreamPool Pool { get; }

    public long Length { get; private set; }

    public long Capacity => _blocks.Content.Capacity;

    public BlockChain Blocks => _blocks;

    public long Position
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _cursor.BlockStart + _cursor.Index;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void MoveTo(PooledStream user, long position)
    {
        var offset = position - _cursor.BlockStart;
        if ((ulong)offset < (ulong)_cursor.End)
        {
            _cursor.Index = (int)offset;
        }
        else
        {
            MoveSlow(user, position);
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public int Read(PooledStream user, Span<byte> destination)
    {
        var index = _cursor.Index;
        var count = _cursor.DataEnd - index;
        if (destination.Length <= count)
        {
            count = destination.Length;
        }
        else if (_cursor.BlockStart + _cursor.DataEnd != Length)
        {
            return ReadSlow(user, destination);
        }
        else if (count <= 0)
        {
            // At or past the end of the stream.
            return 0;
        }

        if (count > ShortCopy)
        {
            return ReadLong(user, destination);
        }

        _cursor.Block.AsSpan(index, count).CopyTo(destination);
        _cursor.Index = index + count;
        return count;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public int ReadByte(PooledStream user)
    {
        var index = _cursor.Index;
        if (index < _cursor.DataEnd)
        {
            _cursor.Index = index + 1;
            return _cursor.Block[index];
        }

        return ReadByteSlow(user);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write(PooledStream user, ReadOnlySpan<byte> source)
    {
        var index = _cursor.Index;
        if (source.Length <= _cursor.End - index && index <= _cursor.DataEnd)
        {
            if (source.Length > ShortCopy)
            {
                WriteLong(user, source);
                return;
            }

            source.CopyTo(_cursor.Block.AsSpan(index));
            MoveOver(index + source.Length);
        }
        else
        {
            WriteSlow(user, source);
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void WriteByte(PooledStream user, byte value)
    {
        var index = _cursor.Index;
        if (index < _cursor.End && index <= _cursor.DataEnd)
        {
            _cursor.Block[index] = value;
            MoveOver(index + 1);
        }
        else
        {
            WriteByteSlow(user, value);
        }
    }

    public void SetLength(PooledStream user, long value)
    {
        using var change = Change(user);
        if (value > Length)
        {
            Reserve(value);
            _blocks.Content.Clear(Length, value);
        }

        Length = value;
        NoteChange();
        Locate(Math.Min(Position, value));
    }

    /// <summary>Adds capacity, or releases the blocks that hold no content; never goes below <see cref="Length"/>.</summary>
    public void SetCapacity(PooledStream user, long value)
    {
        using var change = Change(user);
        var position = Position;
        Reserve(value);
        var last = _blocks.Content.Count;
        while (last > 0 && _blocks.Content[last - 1].Start >= value)
        {
            last--;
        }

        if (last < _blocks.Content.Count)
        {
            RemoveBlocksFrom(_blocks.Content[last].Start);
        }

        Locate(position);
    }

    /// <summary>Copies from any position below <see cref="Length"/>, independent of the current position.</summary>
    public void CopyOut(PooledStream user, long position, Span<byte> destination)
    {
        var word = BeginReading(user);
        _blocks.Content.CopyOut(position, destination);
        EndReading(user, word);
    }

    /// <summary>Returns the part of one block from a position on, up to <paramref name="end"/>; it is not empty.</summary>
    public ArraySegment<byte> PieceAt(PooledStream user, long position, long end)
    {
        var word = BeginReading(user);
        var piece = _blocks.Content.PieceAt(position, end);
        EndReading(user, word);
        return piece;
    }

    public ReadOnlySequence<byte> ToSequence(PooledStream user)
    {
        var word = BeginReading(user);
        var blocks = _blocks;
        var sequence = blocks.ToSequence(Length);
        if (IsStale(user, word))
        {
            blocks.ForgetLinks();
            throw Overlapped(user);
        }

        return sequence;
    }

    // The length grows with the position; when a byte is overwritten, the length stays the same.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void MoveOver(int index)
    {
        _cursor.Index = index;
        if (index > _cursor.DataEnd)
        {
            _cursor.DataEnd = index;
            Length = _cursor.BlockStart + index;
        }
    }

    // A stream may be disposed by another thread, by mistake, while this one copies, and its body may serve the next stream when
    // the copy ends: that stream keeps its position and length, and the caller gets an exception instead of its bytes.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private int ReadLong(PooledStream user, Span<byte> destination)
    {
        var word = BeginReading(user);
        var index = _cursor.Index;
        var count = Math.Min(destination.Length, _cursor.DataEnd - index);
        _cursor.Block.AsSpan(index, count).CopyTo(destination);
        EndReading(user, word);
        _cursor.Index = index + count;
        return count;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void WriteLong(PooledStream user, ReadOnlySpan<byte> source)
    {
        var word = BeginReading(user);
        var index = _cursor.Index;
        source.CopyTo(_cursor.Block.AsSpan(index));
        EndReading(user, word);
        MoveOver(index + source.Length);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void MoveSlow(PooledStream user, long position)
    {
        using var change = Change(user);
        if (position != Position)
        {
            _offer.WithdrawAside();
        }

        Locate(position);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private int ReadSlow(PooledStream user, Span<byte> destination)
    {
        using var change = Change(user);
        var position = Position;
        if (position >= Length)
        {
            return 0;
        }

        var count = (int)Math.Min(Length - position, destination.Length);
        _blocks.Content.CopyOut(position, destination[..count]);
        if (count > 0)
        {
            _offer.WithdrawAside();
        }

        Locate(position + count);
        return count;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private int ReadByteSlow(PooledStream user)
    {
        var value = default(byte);
        return ReadSlow(user, new Span<byte>(ref value)) == 0 ? -1 : value;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void WriteSlow(PooledStream user, ReadOnlySpan<byte> source)
    {
        using (Change(user))
        {
            if (TryWriteAnywhere(source))
            {
                NoteChange();
                return;
            }
        }

        // After the change, because an observer of the pool is notified.
        throw Pool.TooLong(Tag, Position, source.Length);
    }

    private bool TryWriteAnywhere(ReadOnlySpan<byte> source)
    {
        var position = Position;
        if (!Fits(position, source.Length))
        {
            return false;
        }

        var end = position + source.Length;
        if (Length == 0 && position == 0 && end > _blocks.Content.Capacity && _blocks.Content.Count == 1)
        {
            // The first write does not fit into the only block: the content starts in a longer one.
            DropBlocks();
        }

        Reserve(end);
        if (position > Length)
        {
            _blocks.Content.Clear(Length, position);
        }

        _blocks.Content.CopyIn(position, source);
        Length = Math.Max(Length, end);
        Locate(end);
        return true;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void WriteByteSlow(PooledStream user, byte value) => WriteSlow(user, new ReadOnlySpan<byte>(in value));

    // Written this way to avoid an overflow, because the position may be near the largest number.
    private bool Fits(long position, int count) => position <= Pool.MaxLength - count;

    private void Reserve(long capacity)
    {
        while (_blocks.Content.Capacity < capacity)
        {
            _blocks.Append(NextBlockSize(capacity - _blocks.Content.Capacity));
        }
    }

    // Blocks double the capacity until they reach the maximum block size; for a known size or a long write, the block is as long
    // as needed, up to that maximum.
    private int NextBlockSize(long needed)
    {
        var wanted = _blocks.Content.Count > 0 ? _blocks.Content.Capacity : Math.Max(_sizeHint, Pool.FirstBlockSize);
        return (int)Math.Min(Pool.MaxBlockSize, Math.Max(wanted, needed));
    }

    // For an empty stream. The position is located immediately, because renting new blocks may fail.
    private void DropBlocks()
    {
        RemoveBlocksFrom(0);
        Locate(0);
    }

    private void Locate(long position)
    {
        if (_blocks.Content.Count > 0 && position <= Math.Min(_blocks.Content.Capacity, Pool.MaxLength)
            && !_offer.IsAsideAt(position))
        {
            _cursor.Enter(
                in _blocks.Content[position < _blocks.Content.Capacity
                    ? _blocks.Content.Find(position)
                    : _blocks.Content.Count - 1],
                position, Length, Pool.MaxLength);
        }
        else
        {
            _cursor.LeaveBlocks(position);
        }
    }
}
