using System.Runtime.CompilerServices;

namespace Poolhouse.Streams.Blocks;

/// <summary>Transfer of a body from one stream to the next.</summary>
internal sealed partial class StreamBody
{
    /// <summary>The last task of a read by the current user, who may dispose it.</summary>
    public CountTask LastRead;

    private long _sizeHint;
    private ChangeMark _mark;

    public string? Tag { get; private set; }

    /// <summary>Detects that the stream was never disposed; null if leaks are not observed.</summary>
    public StreamSentinel? Sentinel { get; set; }

    /// <summary>The block that stays with this body.</summary>
    public byte[] FirstBlock => _blocks.First;

    /// <summary>A timestamp of the pool's clock, taken only when there is an observer.</summary>
    public long RentedAt { get; set; }

    public void Begin(string? tag, long sizeHint)
    {
        // Not at the end of the previous use: a write that overlapped with its disposal may have left other values since.
        _cursor.Index = 0;
        _cursor.DataEnd = 0;
        Length = 0;
        _offer.ForgetPosition();
        Tag = tag;
        _sizeHint = sizeHint;
        if (sizeHint > Pool.FirstBlockSize)
        {
            DropBlocks();
        }
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

        if (_blocks.IsBorrowed)
        {
            _blocks.Discard();
            return false;
        }

        Tag = null;
        LastRead = default;
        _cleanArray = null;

        // A short stream needs no more: neither its content nor its position ever left the first block.
        return (_cursor.BlockStart == 0 && _blocks.TryResetAtOnce()) || TryReset();
    }

    /// <summary>
    /// For a body that is dropped with its blocks: if arrays are cleared, no content written by a user survives (I22).
    /// </summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public void Discard()
    {
        if (_mark.TryEnd())
        {
            _blocks.Discard();
        }
    }

    /// <summary>Transfers the content to the caller; the body continues with other blocks.</summary>
    /// <returns>
    /// Null if another thread is changing the body, or has changed it at the same time: then nothing was taken, and the return of
    /// the body drops or returns its blocks.
    /// </returns>
    public PooledSequence? TryTakeContent()
    {
        if (!_mark.TryEnd())
        {
            return null;
        }

        var length = Length;
        if (length > _blocks.Content.Capacity)
        {
            return null;
        }

        var next = NewBlocks();
        var content = new PooledSequence(length, _blocks);
        ContinueWith(next);
        return content;
    }

    private BlockChain NewBlocks() => new(Pool.Arrays, Pool.FirstBlockSize);

    private void ContinueWith(BlockChain blocks)
    {
        _offer.Forget();
        _blocks = blocks;
        Length = 0;
        Locate(0);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TryReset()
    {
        _offer.Forget();

        // Before they are returned, so that another thread does not write to them by mistake.
        _cursor.LeaveBlocks(0);
        if (!_blocks.TryEnd())
        {
            return false;
        }

        Length = 0;
        Locate(0);
        return true;
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
                _blocks.Discard();
            }

            throw StreamErrors.Disposed();
        }

        if (Length > _blocks.Content.Capacity)
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
                body._blocks.Discard();
            }
        }
    }
}
