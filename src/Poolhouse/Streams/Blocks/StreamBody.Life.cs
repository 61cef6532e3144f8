using System.Runtime.CompilerServices;

namespace Poolhouse.Streams.Blocks;

/// <summary>How a body passes from one stream to the next.</summary>
internal sealed partial class StreamBody
{
    /// <summary>The last task of a read.</summary>
    public CountTask LastRead;

    private long _sizeHint;

    public string? Tag { get; private set; }

    /// <summary>Counts the users of this body, so that what was made for one of them can tell that it has another one.</summary>
    public long Generation { get; private set; }

    /// <summary>
    /// The stream of the current lease, which is used again with this body; null until the body was first leased.
    /// </summary>
    public PooledStream? ReusedFace { get; set; }

    /// <summary>Notices that the stream was forgotten; null while nobody wants to know.</summary>
    public StreamSentinel? Sentinel { get; set; }

    /// <summary>A timestamp of the pool's clock, taken only when there is an observer.</summary>
    public long RentedAt { get; set; }

    public void Begin(string? tag, long sizeHint)
    {
        Tag = tag;
        _sizeHint = sizeHint;
        if (sizeHint > Pool.FirstBlockSize)
        {
            DropBlocks();
        }
    }

    /// <summary>Forgets the user and returns the blocks.</summary>
    /// <returns>
    /// False when a copy still reads the blocks: then nobody may ever get them, nor this body, which the copy would ask for more.
    /// </returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryEnd()
    {
        if (_blocks.IsBorrowed)
        {
            Discard();
            return false;
        }

        Generation++;
        Tag = null;
        _offeredAt = NeverOffered;
        _cleanArray = null;
        Length = 0;
        if (_blockStart == 0 && _blocks.TryResetAtOnce())
        {
            // A short stream: it never left the first block, and neither did the position.
            _index = 0;
            _dataEnd = 0;
            return true;
        }

        return TryReset();
    }

    /// <summary>For a body that is dropped with its blocks: nothing a user wrote outlives that where secrets are kept (I22).</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public void Discard() => _blocks.Discard();

    /// <summary>Gives away the content: the body goes on with other blocks.</summary>
    public BlockChain TakeBlocks()
    {
        var blocks = _blocks;
        ForgetOffers();
        _blocks = new BlockChain(Pool.Arrays, Pool.FirstBlockSize);
        Length = 0;
        Locate(0);
        return blocks;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TryReset()
    {
        ForgetOffers();
        if (!_blocks.TryEnd())
        {
            return false;
        }

        Locate(0);
        return true;
    }
}
