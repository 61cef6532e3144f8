using System.Buffers;
using System.Runtime.CompilerServices;

namespace Poolhouse.Streams.Blocks;

/// <summary>The implementation of a pooled stream, used by one stream after another: its content, and who may use it.</summary>
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
internal sealed class StreamBody(StreamPool pool)
{
    // A longer copy, which may take milliseconds, checks afterwards whether the stream was disposed meanwhile. A shorter one
    // takes some nanoseconds unless its thread is preempted.
    private const int ShortCopy = 1024;

    private StreamContent _content = new(pool);
    private ChangeMark _mark;

    /// <summary>The last task of a read by the current user, who may dispose it.</summary>
    public CountTask LastRead;

    public StreamPool Pool { get; } = pool;

    public string? Tag { get; private set; }

    public long Length => _content.Length;

    public long Capacity => _content.Capacity;

    public BlockChain Blocks => _content.Blocks;

    /// <summary>The block that stays with this body.</summary>
    public byte[] FirstBlock => _content.Blocks.First;

    /// <summary>Detects that the stream was never disposed; null if leaks are not observed.</summary>
    public StreamSentinel? Sentinel { get; set; }

    public long Position
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _content.Position;
    }

    public void Begin(string? tag, long sizeHint)
    {
        Tag = tag;
        _content.Begin(sizeHint);
    }

    /// <summary>Clears the data of the user and returns the blocks.</summary>
    /// <returns>
    /// False if a copy is still reading the blocks: then neither they nor this body, which the copy would use again, may ever be
    /// reused. False also after a misuse: see <see cref="BlockChain.ThrowIfMisused"/>.
    /// </returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryEnd()
    {
        if (!_mark.TryEnd())
        {
            return false;
        }

        if (_content.Blocks.IsBorrowed)
        {
            _content.Blocks.Discard();
            return false;
        }

        Tag = null;
        LastRead = default;
        return _content.TryResetAtOnce() || _content.TryReset();
    }

    /// <summary>Transfers the content to the caller; the body continues with other blocks.</summary>
    /// <returns>
    /// Null if another thread is changing the body, or has changed it at the same time: then nothing was taken, and the return of
    /// the body drops or returns its blocks.
    /// </returns>
    public PooledSequence? TryTakeContent() =>
        _mark.TryEnd() && _content.Length <= _content.Capacity ? _content.Detach() : null;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void MoveTo(PooledStream user, long position)
    {
        var offset = position - _content.Cursor.BlockStart;
        if ((ulong)offset < (ulong)_content.Cursor.End)
        {
            _content.Cursor.Index = (int)offset;
        }
        else
        {
            MoveSlow(user, position);
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public int Read(PooledStream user, Span<byte> destination)
    {
        var index = _content.Cursor.Index;
        var count = _content.Cursor.DataEnd - index;
        if (destination.Length <= count)
        {
            count = destination.Length;
        }
        else if (_content.Cursor.BlockStart + _content.Cursor.DataEnd != _content.Length)
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

        _content.Cursor.Block.AsSpan(index, count).CopyTo(destination);
        _content.Cursor.Index = index + count;
        return count;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public int ReadByte(PooledStream user)
    {
        var index = _content.Cursor.Index;
        if (index < _content.Cursor.DataEnd)
        {
            _content.Cursor.Index = index + 1;
            return _content.Cursor.Block[index];
        }

        return ReadByteSlow(user);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Write(PooledStream user, ReadOnlySpan<byte> source)
    {
        var index = _content.Cursor.Index;
        if (source.Length <= _content.Cursor.End - index && index <= _content.Cursor.DataEnd)
        {
            if (source.Length > ShortCopy)
            {
                WriteLong(user, source);
                return;
            }

            source.CopyTo(_content.Cursor.Block.AsSpan(index));
            _content.Cursor.MoveOver(index + source.Length);
        }
        else
        {
            WriteSlow(user, source);
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void WriteByte(PooledStream user, byte value)
    {
        var index = _content.Cursor.Index;
        if (index < _content.Cursor.End && index <= _content.Cursor.DataEnd)
        {
            _content.Cursor.Block[index] = value;
            _content.Cursor.MoveOver(index + 1);
        }
        else
        {
            WriteByteSlow(user, value);
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Memory<byte> GetMemory(PooledStream user, int sizeHint)
    {
        var index = _content.Cursor.Index;
        var free = _content.Cursor.End - index;
        if ((uint)sizeHint < (uint)free && index == _content.Cursor.DataEnd && _content.Offer.AsideCount == 0)
        {
            _content.Offer.OfferInContent(free, _content.Cursor.BlockStart + index);
            return _content.Cursor.Block.AsMemory(index, free);
        }

        return GetMemorySlow(user, sizeHint);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Advance(PooledStream user, int count)
    {
        var index = _content.Cursor.Index;
        if ((uint)count <= (uint)_content.Offer.Count && count <= _content.Cursor.End - index
            && _content.Cursor.BlockStart + index == _content.Offer.Position && _content.Length == _content.Offer.Position)
        {
            _content.AdvanceInContent(count);
        }
        else
        {
            AdvanceSlow(user, count);
        }
    }

    public void SetLength(PooledStream user, long value)
    {
        using var change = Change(user);
        _content.SetLength(value);
    }

    /// <summary>Adds capacity, or removes the blocks that hold no content; never goes below <see cref="Length"/>.</summary>
    public void SetCapacity(PooledStream user, long value)
    {
        using var change = Change(user);
        _content.SetCapacity(value);
    }

    /// <summary>Returns the content in one array: the only block, or a new one that replaces the blocks.</summary>
    public byte[] Join(PooledStream user)
    {
        using var change = Change(user);
        return _content.Join();
    }

    /// <summary>Reserves capacity for a known length in one block. For a stream that has not been used yet.</summary>
    public void ReserveContiguous(int size) => _content.ReserveContiguous(size);

    /// <summary>Copies from any position below <see cref="Length"/>, independent of the current position.</summary>
    public void CopyOut(PooledStream user, long position, Span<byte> destination)
    {
        var word = BeginReading(user);
        _content.Blocks.Content.CopyOut(position, destination);
        EndReading(user, word);
    }

    /// <summary>Returns the part of one block from a position on, up to <paramref name="end"/>; it is not empty.</summary>
    public ArraySegment<byte> PieceAt(PooledStream user, long position, long end)
    {
        var word = BeginReading(user);
        var piece = _content.Blocks.Content.PieceAt(position, end);
        EndReading(user, word);
        return piece;
    }

    public ReadOnlySequence<byte> ToSequence(PooledStream user)
    {
        var word = BeginReading(user);
        var blocks = _content.Blocks;
        var sequence = blocks.ToSequence(_content.Length);
        if (IsStale(user, word))
        {
            blocks.ForgetLinks();
            throw Overlapped(user);
        }

        return sequence;
    }

    // A stream may be disposed by another thread, by mistake, while this one copies, and its body may serve the next stream when
    // the copy ends: that stream keeps its position and length, and the caller gets an exception instead of its bytes.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private int ReadLong(PooledStream user, Span<byte> destination)
    {
        var word = BeginReading(user);
        var index = _content.Cursor.Index;
        var count = Math.Min(destination.Length, _content.Cursor.DataEnd - index);
        _content.Cursor.Block.AsSpan(index, count).CopyTo(destination);
        EndReading(user, word);
        _content.Cursor.Index = index + count;
        return count;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void WriteLong(PooledStream user, ReadOnlySpan<byte> source)
    {
        var word = BeginReading(user);
        var index = _content.Cursor.Index;
        source.CopyTo(_content.Cursor.Block.AsSpan(index));
        EndReading(user, word);
        _content.Cursor.MoveOver(index + source.Length);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void MoveSlow(PooledStream user, long position)
    {
        using var change = Change(user);
        _content.MoveTo(position);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private int ReadSlow(PooledStream user, Span<byte> destination)
    {
        using var change = Change(user);
        return _content.Read(destination);
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
            if (_content.TryWrite(source))
            {
                return;
            }
        }

        // After the change, because an observer of the pool is notified.
        throw Pool.TooLong(Tag, Position, source.Length);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void WriteByteSlow(PooledStream user, byte value) => WriteSlow(user, new ReadOnlySpan<byte>(in value));

    [MethodImpl(MethodImplOptions.NoInlining)]
    private Memory<byte> GetMemorySlow(PooledStream user, int sizeHint)
    {
        if (sizeHint < 0)
        {
            throw new ArgumentOutOfRangeException(
                nameof(sizeHint), $"Cannot provide space for {sizeHint} bytes: the size hint must be 0 or more.");
        }

        var needed = Math.Max(1, sizeHint);
        using (Change(user))
        {
            if (_content.TryOffer(needed) is { } memory)
            {
                return memory;
            }
        }

        // After the change, because an observer of the pool is notified.
        throw Pool.TooLong(Tag, Position, needed);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void AdvanceSlow(PooledStream user, int count)
    {
        if (count < 0)
        {
            throw new ArgumentOutOfRangeException(nameof(count), $"Cannot advance by {count}: the count must be 0 or more.");
        }

        using var change = Change(user);
        _content.Advance(count);
    }

    // Begins a change of the blocks or of the cursor, for a user that still has this body; disposing the result finishes it.
    private ChangeScope Change(PooledStream user)
    {
        // Read before the check, so that the word belongs to this user's use of the body.
        var word = _mark.Word;
        if (!user.Uses(this))
        {
            throw StreamErrors.Disposed();
        }

        if (!_mark.TryBegin(word))
        {
            throw Overlapped(user);
        }

        var change = new ChangeScope(this, word);
        if (!user.Uses(this))
        {
            // It ended in between, and may have another user already.
            if (!_mark.TryCancel(word))
            {
                _content.Blocks.Discard();
            }

            throw StreamErrors.Disposed();
        }

        if (_content.Length > _content.Capacity)
        {
            // A write inside a block overlapped with a change.
            change.Dispose();
            throw StreamErrors.UsedConcurrently();
        }

        return change;
    }

    private long BeginReading(PooledStream user)
    {
        var word = _mark.Word;
        return ChangeMark.IsChanging(word) ? throw Overlapped(user) : word;
    }

    private void EndReading(PooledStream user, long word)
    {
        if (IsStale(user, word))
        {
            throw Overlapped(user);
        }
    }

    // Whether what was read since the word may be of a change, or of the next user of this body: the stream may have ended before
    // the word was read.
    private bool IsStale(PooledStream user, long word) => _mark.HasChanged(word) || !user.Uses(this);

    private InvalidOperationException Overlapped(PooledStream user) =>
        user.Uses(this) ? StreamErrors.UsedConcurrently() : StreamErrors.Disposed();

    private readonly ref struct ChangeScope(StreamBody body, long word)
    {
        public void Dispose()
        {
            if (!body._mark.TryFinish(word))
            {
                // The stream ended meanwhile, and left the blocks to this thread.
                body._content.Blocks.Discard();
            }
        }
    }
}
