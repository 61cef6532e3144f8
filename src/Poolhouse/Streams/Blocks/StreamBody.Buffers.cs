using System.Runtime.CompilerServices;

namespace Poolhouse.Streams.Blocks;

/// <summary>Access for others to write into the content, or to get it in one piece.</summary>
// An offer is the memory that the last GetMemory returned, until it is advanced over or withdrawn
//   in the content: _offered bytes at the position _offeredAt, which was the length too. Bytes after the length are not content,
//   so a writer may overwrite all of them; once the length has changed, they may be content, and Advance refuses
//   aside: _aside, memory that is held but not part of the content. Advance copies from there. It is used for offers away from
//   the end, and for an offer whose block leaves the content although the content did not change
// A block that was offered leaves the content through LetGo or Join; the chain then holds it until the stream ends.
internal sealed partial class StreamBody
{
    // Below every position: no memory was offered since the stream was rented.
    private const long NeverOffered = -1;

    private int _offered;
    private long _offeredAt = NeverOffered;
    private ArraySegment<byte> _aside;

    // Memory for offers away from the end; it is never content and never exposed in any other way.
    private byte[]? _scratch;

    // The array returned by GetBuffer, if its end contains nothing from other users. It stays with the stream, because it was
    // exposed.
    private byte[]? _cleanArray;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Memory<byte> GetMemory(PooledStream user, int sizeHint)
    {
        var index = _index;
        var free = _end - index;
        if ((uint)sizeHint < (uint)free && index == _dataEnd && _aside.Count == 0)
        {
            _offered = free;
            _offeredAt = _blockStart + index;
            return _block.AsMemory(index, free);
        }

        return GetMemorySlow(user, sizeHint);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Advance(PooledStream user, int count)
    {
        var index = _index;
        if ((uint)count <= (uint)_offered && count <= _end - index && _blockStart + index == _offeredAt && Length == _offeredAt)
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
            BeforeBlocksLeave(0);
            var joined = _blocks.RentJoined((int)Length);
            LeaveBlocks(position);
            _blocks.ReplaceWith(joined);
            isClean = false;
        }

        var array = _blocks.Show();
        Locate(position);
        if (!isClean)
        {
            _offered = 0;
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
            Withdraw();
            var position = Position;
            if (Fits(position, needed))
            {
                return position == Length ? OfferInContent(position, needed) : OfferAside(position, needed);
            }
        }

        // After the change, because an observer of the pool is told.
        throw Pool.TooLong(Tag, Position, needed);
    }

    private Memory<byte> OfferInContent(long position, int needed)
    {
        if (_blocks.Content.Capacity < position + needed || FreeInBlockAt(position) < needed)
        {
            // There is no content after the position, and the capacity there is too small or fragmented.
            // Located again immediately, because the capacity may have been a whole block, and renting a new one may fail.
            LetGo(position);
            Locate(position);
            _blocks.Append(Math.Max(needed, NextBlockSize(needed)));
        }

        Locate(position);
        _offered = _end - _index;
        _offeredAt = position;
        return _block.AsMemory(_index, _offered);
    }

    private Memory<byte> OfferAside(long position, int needed)
    {
        if (_scratch is null || _scratch.Length < needed)
        {
            // As much as a new stream would offer, so that small writes do not request memory for each byte.
            _scratch = _blocks.RentAside(Math.Max(needed, Pool.FirstBlockSize));
        }

        var count = (int)Math.Min(_scratch.Length, Pool.MaxLength - position);
        _aside = new ArraySegment<byte>(_scratch, 0, count);
        _offeredAt = position;
        return _aside.AsMemory();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void AdvanceSlow(PooledStream user, int count)
    {
        if (count < 0)
        {
            throw new ArgumentOutOfRangeException(nameof(count), $"Cannot advance by {count}: the count must be 0 or more.");
        }

        using var change = Change(user);
        if (FindOffer() && count <= _offered)
        {
            AdvanceInContent(count);
            return;
        }

        var isAside = _aside.Count > 0 && Position == _offeredAt;
        if (count == 0 && !isAside)
        {
            return;
        }

        if (!isAside || count > _aside.Count)
        {
            throw new InvalidOperationException(
                $"Cannot advance by {count}: {(isAside ? _aside.Count : FindOffer() ? _offered : 0)} bytes are offered here. " +
                "Request the space with GetSpan or GetMemory first, and do not change the stream or its position in between.");
        }

        var aside = _aside;
        _aside = default;
        if (!TryWriteAnywhere(aside.AsSpan(0, count)))
        {
            // No more than fits was offered here.
            throw StreamErrors.UsedConcurrently();
        }

        // The remainder stays offered, as it does in the content.
        _aside = aside[count..];
        _offeredAt = Position;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void AdvanceInContent(int count)
    {
        _offered -= count;
        _offeredAt += count;
        MoveOver(_index + count);
    }

    // Whether an offer in the content is still valid; the cursor is then in its block.
    private bool FindOffer()
    {
        if (_offered == 0 || Position != _offeredAt || Length != _offeredAt)
        {
            return false;
        }

        if (_index == _end)
        {
            // A read stopped at the end of the previous block.
            Locate(_offeredAt);
        }

        return true;
    }

    private long FreeInBlockAt(long position)
    {
        ref readonly var block = ref _blocks.Content[_blocks.Content.Find(position)];
        return block.Start + block.Size - position;
    }

    // Removes blocks from the content: those that start at the position or after it.
    private void LetGo(long position)
    {
        BeforeBlocksLeave(position);

        // Before they are returned, so that another thread does not write to them by mistake; the caller locates its position
        // again.
        LeaveBlocks(Position);
        _blocks.CutAt(position);
    }

    private void BeforeBlocksLeave(long from)
    {
        if (_offeredAt == NeverOffered)
        {
            return;
        }

        var isOffered = FindOffer();
        _blocks.NoteOffered(isOffered || _aside.Count > 0);
        if (isOffered && _blockStart < from)
        {
            // The block stays.
            return;
        }

        if (isOffered)
        {
            _aside = new ArraySegment<byte>(_block, _index, _offered);
        }

        _offered = 0;
    }

    private void Withdraw()
    {
        _offered = 0;
        _aside = default;
    }

    // Memory exposed or offered before is no longer valid, and held blocks may be reused.
    private void NoteChange()
    {
        Withdraw();
        _scratch = null;
        _blocks.NoteChange();
    }

    private void ForgetOffers()
    {
        Withdraw();
        _scratch = null;
        _offeredAt = NeverOffered;
    }
}
