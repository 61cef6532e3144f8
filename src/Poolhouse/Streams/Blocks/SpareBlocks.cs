namespace Poolhouse.Streams.Blocks;

/// <summary>Blocks that left the content of a stream, which keeps them until it ends.</summary>
// Invariants
//   a block is here from the moment it leaves the content until it is used again or the stream ends: memory of it that user code
//   still holds is never another user's (I31)
//   the first _reusable blocks may be used again, except for _offered: nothing that was exposed from them is still valid
internal struct SpareBlocks
{
    private List<byte[]>? _blocks;
    private int _reusable;
    private byte[]? _offered;

    public readonly int Count => _blocks?.Count ?? 0;

    public readonly byte[] this[int index] => _blocks![index];

    /// <summary>Ensures that adding blocks needs no memory.</summary>
    public void Reserve(int count) => (_blocks ??= []).EnsureCapacity(Count + count);

    /// <summary>Adds a block.</summary>
    /// <param name="block">The block.</param>
    /// <param name="isValid">Whether memory that was exposed from it stays valid, until <see cref="Release"/> is called.</param>
    public void Add(byte[] block, bool isValid)
    {
        _blocks ??= [];
        if (isValid)
        {
            _blocks.Add(block);
        }
        else
        {
            _blocks.Insert(_reusable++, block);
        }
    }

    /// <summary>Keeps one block from being reused, because its memory is offered; null: none is.</summary>
    public void Offer(byte[]? block) => _offered = block;

    /// <summary>Lets the stream reuse all blocks: what was exposed or offered from them is no longer valid.</summary>
    public void Release()
    {
        _reusable = Count;
        _offered = null;
    }

    /// <summary>Takes the shortest block of at least <paramref name="size"/> bytes that the stream may reuse.</summary>
    public byte[]? TryTake(int size)
    {
        var best = -1;
        for (var index = 0; index < _reusable; index++)
        {
            var block = _blocks![index];
            if (block.Length >= size && block != _offered && (best < 0 || block.Length < _blocks[best].Length))
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
        _offered = null;
    }
}
