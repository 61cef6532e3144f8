namespace Poolhouse.Streams.Blocks;

/// <summary>Blocks that left the content of a stream while user code may still hold their memory.</summary>
// Invariants
//   a block is held from the moment it leaves the content until the stream ends; only then is it returned to the array pool (I31)
//   the first _reusable blocks left before the last change of the content: the memory exposed from them is no longer valid, so
//   the stream may reuse them, and a stream that repeatedly grows and shrinks holds no more than its peak requirement
internal struct HeldBlocks
{
    private List<byte[]>? _blocks;
    private int _reusable;

    public readonly int Count => _blocks?.Count ?? 0;

    public readonly byte[] this[int index] => _blocks![index];

    public void Add(byte[] block) => (_blocks ??= []).Add(block);

    /// <summary>Marks memory exposed from these blocks as no longer valid.</summary>
    /// <param name="clears">Whether the blocks must be cleared.</param>
    public void NoteChange(bool clears)
    {
        for (; _reusable < Count; _reusable++)
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
    }
}
