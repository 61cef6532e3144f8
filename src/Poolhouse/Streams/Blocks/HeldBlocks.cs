namespace Poolhouse.Streams.Blocks;

/// <summary>Blocks that left the content of a stream while user code may still hold their memory.</summary>
// Invariants
//   a block is held from the moment it leaves the content until the stream ends; only then is it returned to the array pool (I31)
//   they are in this order: _reusable blocks that the stream may reuse, because the memory exposed from them is no longer valid;
//   then, before _offered, blocks that become reusable when the current offer is withdrawn; then blocks that become reusable when
//   the content changes. So a stream that repeatedly grows and shrinks holds no more than its peak requirement
internal struct HeldBlocks
{
    private List<byte[]>? _blocks;
    private int _reusable;
    private int _offered;

    public readonly int Count => _blocks?.Count ?? 0;

    public readonly byte[] this[int index] => _blocks![index];

    /// <summary>Ensures that adding blocks needs no memory.</summary>
    public void Reserve(int count) => (_blocks ??= []).EnsureCapacity(Count + count);

    /// <summary>Adds a block. Needs no memory if there is room for it; see <see cref="Reserve"/>.</summary>
    /// <param name="block">The block.</param>
    /// <param name="untilChange">
    /// Whether its memory stays valid until the content changes; otherwise at most until the current offer is withdrawn.
    /// </param>
    public void Add(byte[] block, bool untilChange)
    {
        _blocks ??= [];
        if (untilChange)
        {
            _blocks.Add(block);
        }
        else
        {
            _blocks.Insert(_offered, block);
            _offered++;
        }
    }

    /// <summary>Marks memory exposed from these blocks as no longer valid.</summary>
    /// <param name="clears">Whether the blocks must be cleared.</param>
    public void NoteChange(bool clears)
    {
        _offered = Count;
        NoteWithdrawn(clears);
    }

    /// <summary>Marks memory that was offered, and not exposed in any other way, as no longer valid.</summary>
    /// <param name="clears">Whether the blocks must be cleared.</param>
    public void NoteWithdrawn(bool clears)
    {
        for (; _reusable < _offered; _reusable++)
        {
            if (clears)
            {
                _blocks![_reusable].AsSpan().Clear();
            }
        }
    }

    /// <summary>Takes the shortest block of at least <paramref name="size"/> bytes that the stream may reuse.</summary>
    public byte[]? TryTake(int size, byte[] except)
    {
        var best = -1;
        for (var index = 0; index < _reusable; index++)
        {
            var block = _blocks![index];
            if (block.Length >= size && block != except && (best < 0 || block.Length < _blocks[best].Length))
            {
                best = index;
            }
        }

        if (best < 0)
        {
            return null;
        }

        var taken = _blocks![best];
        _blocks.RemoveAt(best);
        _reusable--;
        _offered--;
        return taken;
    }

    public void Clear()
    {
        if (Count > BlockList.MaxKeptBlocks)
        {
            _blocks = null;
        }

        _blocks?.Clear();
        _reusable = 0;
        _offered = 0;
    }
}
