using System.Buffers;
using System.Runtime.CompilerServices;

namespace Poolhouse.Internal;

/// <summary>What lets others write into the content, or see it in one piece.</summary>
internal sealed partial class StreamBody
{
    // Bytes that the last GetMemory offered and nobody advanced over yet.
    private int _offered;

    // The position for which they were offered: anywhere else they would be somebody's rest.
    private long _offeredAt;

    // An array that stands in for the content where a writer must not reach into it directly.
    private byte[]? _scratch;

    // The array behind GetBuffer whose end holds nothing of other users any more.
    private byte[]? _cleanArray;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Memory<byte> GetMemory(int sizeHint)
    {
        // Only past the end of the content: a writer may scribble over all it was offered, and advance over less.
        var index = _index;
        var free = _end - index;
        if ((uint)sizeHint < (uint)free && index == _dataEnd && _scratch is null)
        {
            _offered = free;
            _offeredAt = _blockStart + index;
            return _block.AsMemory(index, free);
        }

        return GetMemorySlow(sizeHint);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Advance(int count)
    {
        if ((uint)count > (uint)_offered || Position != _offeredAt)
        {
            RefuseToAdvance(count);
            return;
        }

        if (_scratch is { } scratch)
        {
            Write(scratch.AsSpan(0, count));
            DropScratch();
            return;
        }

        _offered -= count;
        _offeredAt += count;
        MoveOver(_index + count);
    }

    /// <summary>The content in one array: the only block, or a new one that replaces the blocks.</summary>
    public byte[] Join()
    {
        if (_blocks.Count == 0)
        {
            return [];
        }

        if (_blocks.Count > 1)
        {
            var position = Position;
            _blocks.Join((int)Length);
            Locate(position);
        }

        var array = _blocks[0].Array;
        if (_cleanArray != array)
        {
            array.AsSpan((int)Length).Clear();
            _cleanArray = array;
        }

        return array;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private Memory<byte> GetMemorySlow(int sizeHint)
    {
        if (sizeHint < 0)
        {
            throw new ArgumentException($"Cannot make room for {sizeHint} bytes: a size hint is 0 or more.", nameof(sizeHint));
        }

        DropScratch();
        _offeredAt = Position;
        var needed = Math.Max(1, sizeHint);
        var position = Position;
        var end = EndOfWrite(position, needed);
        if (position != Length)
        {
            _scratch = Pool.Arrays.Rent(needed);
            _offered = _scratch.Length;
            return _scratch;
        }

        if (_blocks.Capacity < end || FreeInBlockAt(position) < needed)
        {
            // Nothing lies behind the position, and the room there is too short or in pieces.
            // Found again at once, because the room may have been all there was of a block, and a new one may not be had.
            _blocks.CutAt(position);
            Locate(position);
            _blocks.Append(Math.Max(needed, NextBlockSize(needed)));
        }

        Locate(position);
        _offered = _end - _index;
        return _block.AsMemory(_index, _offered);
    }

    private long FreeInBlockAt(long position)
    {
        ref readonly var block = ref _blocks[_blocks.Find(position)];
        return block.Start + block.Size - position;
    }

    private void DropScratch()
    {
        _offered = 0;
        if (_scratch is { } scratch)
        {
            _scratch = null;
            Pool.Arrays.Return(scratch);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void RefuseToAdvance(int count)
    {
        if (count < 0)
        {
            throw new ArgumentException($"Cannot advance by {count}: a count is 0 or more.", nameof(count));
        }

        if (count == 0)
        {
            return;
        }

        throw new InvalidOperationException(
            $"Cannot advance by {count}: {(Position == _offeredAt ? _offered : 0)} bytes are offered here. " +
            "Ask GetSpan or GetMemory for the space first, and do not move the stream in between.");
    }
}
