using System.Runtime.CompilerServices;

namespace Poolhouse.Streams.Blocks;

/// <summary>Transfer of a body from one stream to the next.</summary>
internal sealed partial class StreamBody
{
    /// <summary>The last task of a read.</summary>
    public CountTask LastRead;

    private long _sizeHint;

    public string? Tag { get; private set; }

    /// <summary>
    /// Counts the users of this body, so that objects created for one of them can detect that it has another user.
    /// </summary>
    public long Generation { get; private set; }

    /// <summary>
    /// The stream of the current lease, which is reused with this body; null until the body is leased for the first time.
    /// </summary>
    public PooledStream? ReusedFace { get; set; }

    /// <summary>Detects that the stream was never disposed; null if leaks are not observed.</summary>
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

    /// <summary>Clears the data of the user and returns the blocks.</summary>
    /// <returns>
    /// False if a copy is still reading the blocks: then neither they nor this body, which the copy would use again, may ever be
    /// reused.
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
            // A short stream: neither its content nor its position ever left the first block.
            _index = 0;
            _dataEnd = 0;
            return true;
        }

        return TryReset();
    }

    /// <summary>
    /// For a body that is dropped with its blocks: if arrays are cleared, no content written by a user survives (I22).
    /// </summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public void Discard() => _blocks.Discard();

    /// <summary>Transfers the content to the caller; the body continues with other blocks.</summary>
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
