using System.Runtime.CompilerServices;

namespace Poolhouse.Streams.Blocks;

/// <summary>Access for others to write into the content, or to get it in one piece.</summary>
// A block that was offered leaves the content through RemoveBlocksFrom or Join; it is then a spare until the stream ends.
internal sealed partial class StreamBody
{
    private MemoryOffer _offer = new();

    // The array returned by GetBuffer, if its end contains nothing from other users. It stays with the stream, because it was
    // exposed.
    private byte[]? _cleanArray;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Memory<byte> GetMemory(PooledStream user, int sizeHint)
    {
        var index = _cursor.Index;
        var free = _cursor.End - index;
        if ((uint)sizeHint < (uint)free && index == _cursor.DataEnd && _offer.AsideCount == 0)
        {
            _offer.OfferInContent(free, _cursor.BlockStart + index);
            return _cursor.Block.AsMemory(index, free);
        }

        return GetMemorySlow(user, sizeHint);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Advance(PooledStream user, int count)
    {
        var index = _cursor.Index;
        if ((uint)count <= (uint)_offer.Count && count <= _cursor.End - index
            && _cursor.BlockStart + index == _offer.Position && Length == _offer.Position)
        {
            AdvanceInContent(count);
        }
        else
        {
            AdvanceSlow(user, count);
        }
    }

    /// <summary>Returns the content in one array: the only block, or a new one that replaces the blocks.</summary>
    public byte[] Join(PooledStream user)
    {
        using var change = Change(user);
        if (_blocks.Content.Count == 0)
        {
            return [];
        }

        var position = Position;
        var isClean = _blocks.Content[0].Array == _cleanArray;
        if (_blocks.Content.Count > 1 || (FindOffer() && !isClean))
        {
            // Also applies to a single block that a writer may have written to already: it cannot be cleared after the length.
            // Everything that may fail comes first: then nothing has changed.
            _blocks.ReserveSpares();
            var joined = _blocks.RentJoined((int)Length);
            BeforeBlocksLeave(0);
            _cursor.LeaveBlocks(position);
            _blocks.ReplaceWith(joined);
            isClean = false;
        }

        var array = _blocks.Expose();
        Locate(position);
        if (!isClean)
        {
            _offer.WithdrawInContent();
            array.AsSpan((int)Length).Clear();
            _cleanArray = array;
        }

        return array;
    }

    /// <summary>Reserves capacity for a known length in one block. For a stream that has not been used yet.</summary>
    public void ReserveContiguous(int size)
    {
        if (_blocks.Content.Count == 0 || _blocks.Content[0].Size < size)
        {
            DropBlocks();
            _blocks.Append(size);
            Locate(0);
        }
    }

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
            _offer.Withdraw();
            _blocks.NoteWithdrawn();
            var position = Position;
            if (Fits(position, needed))
            {
                return position == Length ? OfferInContent(position, needed) : OfferAside(position, needed);
            }
        }

        // After the change, because an observer of the pool is notified.
        throw Pool.TooLong(Tag, Position, needed);
    }

    private Memory<byte> OfferAside(long position, int needed)
    {
        var memory = _offer.OfferAside(_blocks, needed, position, Pool);
        Locate(position);
        return memory;
    }

    private Memory<byte> OfferInContent(long position, int needed)
    {
        if (_blocks.Content.Capacity < position + needed || FreeInBlockAt(position) < needed)
        {
            // There is no content after the position, and the capacity there is too small or fragmented.
            if (position < _blocks.Content.Capacity)
            {
                // Located again immediately, because the capacity may have been a whole block, and renting a new one may fail.
                RemoveBlocksFrom(position);
                Locate(position);
            }

            _blocks.Append(Math.Max(needed, NextBlockSize(needed)));
        }

        Locate(position);
        _offer.OfferInContent(_cursor.End - _cursor.Index, position);
        return _cursor.Block.AsMemory(_cursor.Index, _offer.Count);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void AdvanceSlow(PooledStream user, int count)
    {
        if (count < 0)
        {
            throw new ArgumentOutOfRangeException(nameof(count), $"Cannot advance by {count}: the count must be 0 or more.");
        }

        using var change = Change(user);
        if (FindOffer() && count <= _offer.Count)
        {
            AdvanceInContent(count);
            return;
        }

        var isAside = _offer.IsAsideAt(Position);
        if (count == 0 && !isAside)
        {
            return;
        }

        if (!isAside || count > _offer.AsideCount)
        {
            var offered = isAside ? _offer.AsideCount : FindOffer() ? _offer.Count : 0;
            throw new InvalidOperationException(
                $"Cannot advance by {count}: {offered} bytes are offered here. " +
                "Request the space with GetSpan or GetMemory first, and do not change the stream or its position in between.");
        }

        var aside = _offer.TakeAside();
        if (!TryWriteAnywhere(aside.AsSpan(0, count)))
        {
            // No more than fits was offered here.
            throw StreamErrors.UsedConcurrently();
        }

        // The remainder stays offered, as it does in the content.
        var position = Position;
        _offer.KeepAside(aside[count..], position);
        Locate(position);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void AdvanceInContent(int count)
    {
        _offer.AdvanceInContent(count);
        MoveOver(_cursor.Index + count);
    }

    // Whether an offer in the content is still valid; the cursor is then in its block.
    private bool FindOffer()
    {
        if (_offer.Count == 0 || Position != _offer.Position || Length != _offer.Position)
        {
            return false;
        }

        if (_cursor.Index == _cursor.End)
        {
            // A read stopped at the end of the previous block.
            Locate(_offer.Position);
        }

        return true;
    }

    private long FreeInBlockAt(long position)
    {
        ref readonly var block = ref _blocks.Content[_blocks.Content.Find(position)];
        return block.Start + block.Size - position;
    }

    // Removes the blocks that start at the position or after it from the content, and shortens the block that contains it.
    private void RemoveBlocksFrom(long position)
    {
        // May fail; the removal does not.
        _blocks.ReserveSpares();
        BeforeBlocksLeave(position);

        // Before they are removed, so that another thread does not write to them by mistake; the caller locates its position
        // again.
        _cursor.LeaveBlocks(Position);
        _blocks.CutAt(position);
    }

    private void BeforeBlocksLeave(long from)
    {
        if (!FindOffer())
        {
            _offer.WithdrawInContent();
        }
        else if (_cursor.BlockStart >= from)
        {
            _offer.MoveAside(_cursor.Block, _cursor.Index);
            _blocks.NoteOffered(_cursor.Block);
        }
    }

    // Memory exposed or offered before is no longer valid, and spare blocks may be reused.
    private void NoteChange()
    {
        _offer.Withdraw();
        _blocks.NoteChange();
    }
}
