using System.Runtime.CompilerServices;

namespace Poolhouse.Streams.Blocks;

/// <summary>
/// The content of a stream: its blocks, its length, the position in them, and the memory that is offered to be written to.
/// </summary>
// Invariants
//   the cursor is at the position, given Length and the blocks; while memory is offered aside at the position, it is outside the
//   blocks, so that every write and move takes a slow path, which withdraws the offer
//   bytes below Length are the user's; those above it may be left over from others and are cleared before the length grows over
//   them
//   a block that was offered leaves the content through RemoveBlocksFrom or Join; it is then a spare until the stream ends
// A struct, and fields instead of properties, because the fast paths of StreamBody read and write them in place. StreamBody also
// guards every other member against two threads.
internal struct StreamContent
{
    public BlockCursor Cursor = new();
    public MemoryOffer Offer = new();

    private readonly StreamPool _pool;
    private long _sizeHint;

    // The array returned by GetBuffer, if its end contains nothing from other users. It stays with the stream, because it was
    // exposed.
    private byte[]? _cleanArray;

    public StreamContent(StreamPool pool)
    {
        _pool = pool;
        Blocks = NewBlocks();
        Locate(0);
    }

    public BlockChain Blocks { get; private set; }

    public readonly long Length => Cursor.Length;

    public readonly long Capacity => Blocks.Content.Capacity;

    public readonly long Position
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Cursor.BlockStart + Cursor.Index;
    }

    /// <summary>Begins the next use.</summary>
    // Not at the end of the previous use: a write that overlapped with its disposal may have left other values since.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Begin(long sizeHint)
    {
        Cursor.Index = 0;
        Cursor.DataEnd = 0;
        Cursor.Length = 0;
        Offer.ForgetPosition();
        _sizeHint = sizeHint;
        if (sizeHint > _pool.FirstBlockSize)
        {
            DropBlocks();
        }
    }

    /// <summary>Ends a use that needs no more: neither the content nor the position ever left the first block.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryResetAtOnce()
    {
        _cleanArray = null;
        return Cursor.BlockStart == 0 && Blocks.TryResetAtOnce();
    }

    /// <summary>Ends any use.</summary>
    /// <returns>As <see cref="BlockChain.TryEnd"/>.</returns>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public bool TryReset()
    {
        Offer.Forget();

        // Before they are returned, so that another thread does not write to them by mistake.
        Cursor.LeaveBlocks(0);
        if (!Blocks.TryEnd())
        {
            return false;
        }

        Cursor.Length = 0;
        Locate(0);
        return true;
    }

    /// <summary>Transfers the blocks, and continues with others.</summary>
    public PooledSequence Detach()
    {
        // First, because it may fail.
        var next = NewBlocks();
        var content = new PooledSequence(Length, Blocks);
        Offer.Forget();
        Blocks = next;
        Cursor.Length = 0;
        Locate(0);
        return content;
    }

    public void SetLength(long value)
    {
        if (value > Length)
        {
            Reserve(value);
            Blocks.Content.Clear(Length, value);
        }

        Cursor.Length = value;
        NoteChange();
        Locate(Math.Min(Position, value));
    }

    /// <summary>Adds capacity, or removes the blocks that hold no content; never goes below <see cref="Length"/>.</summary>
    public void SetCapacity(long value)
    {
        var position = Position;
        Reserve(value);
        var last = Blocks.Content.Count;
        while (last > 0 && Blocks.Content[last - 1].Start >= value)
        {
            last--;
        }

        if (last < Blocks.Content.Count)
        {
            RemoveBlocksFrom(Blocks.Content[last].Start);
        }

        Locate(position);
    }

    public void MoveTo(long position)
    {
        if (position != Position)
        {
            Offer.WithdrawAside();
        }

        Locate(position);
    }

    public int Read(Span<byte> destination)
    {
        var position = Position;
        if (position >= Length)
        {
            return 0;
        }

        var count = (int)Math.Min(Length - position, destination.Length);
        Blocks.Content.CopyOut(position, destination[..count]);
        if (count > 0)
        {
            Offer.WithdrawAside();
        }

        Locate(position + count);
        return count;
    }

    /// <summary>Writes at the position.</summary>
    /// <returns>False if the stream would be too long: then nothing was written.</returns>
    public bool TryWrite(ReadOnlySpan<byte> source)
    {
        if (!TryWriteAnywhere(source))
        {
            return false;
        }

        NoteChange();
        return true;
    }

    /// <summary>Offers memory at the position; withdraws what was offered before.</summary>
    /// <returns>Null if the stream would be too long.</returns>
    public Memory<byte>? TryOffer(int needed)
    {
        Offer.Withdraw();
        Blocks.NoteWithdrawn();
        var position = Position;
        if (!Fits(position, needed))
        {
            return null;
        }

        return position == Length ? OfferInContent(position, needed) : OfferAside(position, needed);
    }

    /// <summary>Makes offered bytes content.</summary>
    /// <exception cref="InvalidOperationException">Not as many are offered at the position.</exception>
    public void Advance(int count)
    {
        if (FindOffer() && count <= Offer.Count)
        {
            AdvanceInContent(count);
            return;
        }

        var isAside = Offer.IsAsideAt(Position);
        if (count == 0 && !isAside)
        {
            return;
        }

        if (!isAside || count > Offer.AsideCount)
        {
            var offered = isAside ? Offer.AsideCount : FindOffer() ? Offer.Count : 0;
            throw new InvalidOperationException(
                $"Cannot advance by {count}: {offered} bytes are offered here. " +
                "Request the space with GetSpan or GetMemory first, and do not change the stream or its position in between.");
        }

        var aside = Offer.TakeAside();
        if (!TryWriteAnywhere(aside.AsSpan(0, count)))
        {
            // No more than fits was offered here.
            throw StreamErrors.UsedConcurrently();
        }

        // The remainder stays offered, as it does in the content.
        var position = Position;
        Offer.KeepAside(aside[count..], position);
        Locate(position);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void AdvanceInContent(int count)
    {
        Offer.AdvanceInContent(count);
        Cursor.MoveOver(Cursor.Index + count);
    }

    /// <summary>Returns the content in one array: the only block, or a new one that replaces the blocks.</summary>
    public byte[] Join()
    {
        if (Blocks.Content.Count == 0)
        {
            return [];
        }

        var position = Position;
        var isClean = Blocks.Content[0].Array == _cleanArray;
        if (Blocks.Content.Count > 1 || (FindOffer() && !isClean))
        {
            // Also applies to a single block that a writer may have written to already: it cannot be cleared after the length.
            // Everything that may fail comes first: then nothing has changed.
            Blocks.ReserveSpares();
            var joined = Blocks.RentJoined((int)Length);
            BeforeBlocksLeave(0);
            Cursor.LeaveBlocks(position);
            Blocks.ReplaceWith(joined);
            isClean = false;
        }

        var array = Blocks.Expose();
        Locate(position);
        if (!isClean)
        {
            Offer.WithdrawInContent();
            array.AsSpan((int)Length).Clear();
            _cleanArray = array;
        }

        return array;
    }

    /// <summary>Reserves capacity for a known length in one block. For a stream that has not been used yet.</summary>
    public void ReserveContiguous(int size)
    {
        if (Blocks.Content.Count == 0 || Blocks.Content[0].Size < size)
        {
            DropBlocks();
            Blocks.Append(size);
            Locate(0);
        }
    }

    private bool TryWriteAnywhere(ReadOnlySpan<byte> source)
    {
        var position = Position;
        if (!Fits(position, source.Length))
        {
            return false;
        }

        var end = position + source.Length;
        if (Length == 0 && position == 0 && end > Blocks.Content.Capacity && Blocks.Content.Count == 1)
        {
            // The first write does not fit into the only block: the content starts in a longer one.
            DropBlocks();
        }

        Reserve(end);
        if (position > Length)
        {
            Blocks.Content.Clear(Length, position);
        }

        Blocks.Content.CopyIn(position, source);
        Cursor.Length = Math.Max(Length, end);
        Locate(end);
        return true;
    }

    private Memory<byte> OfferAside(long position, int needed)
    {
        var memory = Offer.OfferAside(Blocks, needed, position, _pool);
        Locate(position);
        return memory;
    }

    private Memory<byte> OfferInContent(long position, int needed)
    {
        if (Blocks.Content.Capacity < position + needed || FreeInBlockAt(position) < needed)
        {
            // There is no content after the position, and the capacity there is too small or fragmented.
            if (position < Blocks.Content.Capacity)
            {
                // Located again immediately, because the capacity may have been a whole block, and renting a new one may fail.
                RemoveBlocksFrom(position);
                Locate(position);
            }

            Blocks.Append(Math.Max(needed, NextBlockSize(needed)));
        }

        Locate(position);
        Offer.OfferInContent(Cursor.End - Cursor.Index, position);
        return Cursor.Block.AsMemory(Cursor.Index, Offer.Count);
    }

    // Whether an offer in the content is still valid; the cursor is then in its block.
    private bool FindOffer()
    {
        if (Offer.Count == 0 || Position != Offer.Position || Length != Offer.Position)
        {
            return false;
        }

        if (Cursor.Index == Cursor.End)
        {
            // A read stopped at the end of the previous block.
            Locate(Offer.Position);
        }

        return true;
    }

    private readonly long FreeInBlockAt(long position)
    {
        ref readonly var block = ref Blocks.Content[Blocks.Content.Find(position)];
        return block.Start + block.Size - position;
    }

    // Removes the blocks that start at the position or after it from the content, and shortens the block that contains it.
    private void RemoveBlocksFrom(long position)
    {
        // May fail; the removal does not.
        Blocks.ReserveSpares();
        BeforeBlocksLeave(position);

        // Before they are removed, so that another thread does not write to them by mistake; the caller locates its position
        // again.
        Cursor.LeaveBlocks(Position);
        Blocks.CutAt(position);
    }

    private void BeforeBlocksLeave(long from)
    {
        if (!FindOffer())
        {
            Offer.WithdrawInContent();
        }
        else if (Cursor.BlockStart >= from)
        {
            Offer.MoveAside(Cursor.Block, Cursor.Index);
            Blocks.NoteOffered(Cursor.Block);
        }
    }

    // Memory exposed or offered before is no longer valid, and spare blocks may be reused.
    private void NoteChange()
    {
        Offer.Withdraw();
        Blocks.NoteChange();
    }

    // Written this way to avoid an overflow, because the position may be near the largest number.
    private readonly bool Fits(long position, int count) => position <= _pool.MaxLength - count;

    private readonly void Reserve(long capacity)
    {
        while (Blocks.Content.Capacity < capacity)
        {
            Blocks.Append(NextBlockSize(capacity - Blocks.Content.Capacity));
        }
    }

    // Blocks double the capacity until they reach the maximum block size; for a known size or a long write, the block is as long
    // as needed, up to that maximum.
    private readonly int NextBlockSize(long needed)
    {
        var wanted = Blocks.Content.Count > 0 ? Blocks.Content.Capacity : Math.Max(_sizeHint, _pool.FirstBlockSize);
        return (int)Math.Min(_pool.MaxBlockSize, Math.Max(wanted, needed));
    }

    // For an empty stream. The position is located immediately, because renting new blocks may fail.
    private void DropBlocks()
    {
        RemoveBlocksFrom(0);
        Locate(0);
    }

    private readonly BlockChain NewBlocks() => new(_pool.Arrays, _pool.FirstBlockSize);

    private void Locate(long position)
    {
        if (Blocks.Content.Count > 0 && position <= Math.Min(Blocks.Content.Capacity, _pool.MaxLength)
            && !Offer.IsAsideAt(position))
        {
            Cursor.Enter(
                in Blocks.Content[position < Blocks.Content.Capacity ? Blocks.Content.Find(position) : Blocks.Content.Count - 1],
                position, _pool.MaxLength);
        }
        else
        {
            Cursor.LeaveBlocks(position);
        }
    }
}
