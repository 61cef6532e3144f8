using System.Runtime.CompilerServices;

namespace Poolhouse.Streams.Blocks;

/// <summary>The memory that the last GetMemory of a stream returned, until it is advanced over or withdrawn.</summary>
// Invariants
//   in the content: Count bytes at Position, which was the length too. Bytes after the length are not content, so a writer may
//   overwrite all of them; once the length has changed, they may be content, and Advance throws
//   aside: AsideCount bytes of a spare block, not part of the content. Advance copies from there to Position. It is used for
//   offers away from the end, and for an offer whose block leaves the content although the content did not change
//   Count or AsideCount is 0
internal struct MemoryOffer
{
    // Below every position: no memory was offered since the stream was rented.
    private const long Never = -1;

    private ArraySegment<byte> _aside;

    public MemoryOffer() => Position = Never;

    /// <summary>The number of bytes offered in the content.</summary>
    public int Count { readonly get; private set; }

    /// <summary>The number of bytes offered aside.</summary>
    public readonly int AsideCount => _aside.Count;

    /// <summary>The position of the stream at which the memory was offered.</summary>
    public long Position { readonly get; private set; }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void OfferInContent(int count, long position)
    {
        Count = count;
        Position = position;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void AdvanceInContent(int count)
    {
        Count -= count;
        Position += count;
    }

    /// <summary>Offers memory that is not part of the content.</summary>
    /// <param name="blocks">The chain that keeps the memory until the stream ends.</param>
    /// <param name="needed">The number of bytes that the caller needs.</param>
    /// <param name="position">The position of the stream.</param>
    /// <param name="pool">The pool of the stream, for its sizes.</param>
    public Memory<byte> OfferAside(BlockChain blocks, int needed, long position, StreamPool pool)
    {
        // As much as a new stream would offer, so that small writes do not request memory for each byte.
        var spare = blocks.OfferSpare(Math.Max(needed, pool.FirstBlockSize));
        var count = (int)Math.Min(spare.Length, pool.MaxLength - position);
        KeepAside(new ArraySegment<byte>(spare, 0, count), position);
        return _aside.AsMemory();
    }

    /// <summary>Keeps an offer valid whose block is about to leave the content; the chain keeps the block.</summary>
    public void MoveAside(byte[] block, int index)
    {
        _aside = new ArraySegment<byte>(block, index, Count);
        Count = 0;
    }

    /// <summary>Takes the memory offered aside, whose bytes are about to be copied into the content.</summary>
    public ArraySegment<byte> TakeAside()
    {
        var aside = _aside;
        _aside = default;
        return aside;
    }

    public void KeepAside(ArraySegment<byte> memory, long position)
    {
        _aside = memory;
        Position = position;
    }

    /// <summary>Whether memory is offered aside at the position.</summary>
    public readonly bool IsAsideAt(long position) => _aside.Count > 0 && Position == position;

    /// <summary>Withdraws what was offered aside, because the position changed.</summary>
    public void WithdrawAside() => _aside = default;

    /// <summary>Withdraws what was offered in the content.</summary>
    public void WithdrawInContent() => Count = 0;

    public void Withdraw()
    {
        Count = 0;
        _aside = default;
    }

    /// <summary>Withdraws the offer at the end of a use of the stream.</summary>
    public void Forget()
    {
        Withdraw();
        ForgetPosition();
    }

    /// <summary>For a new use of the stream: without a position, no offer is valid, whatever its size was.</summary>
    public void ForgetPosition() => Position = Never;
}
