using System.Runtime.CompilerServices;

namespace Poolhouse.Streams.Blocks;

/// <summary>
/// The length of a stream and its position inside its blocks: which block holds it, and how far that block and the content in it
/// reach.
/// </summary>
// Invariants
//   position = BlockStart + Index
//   inside the blocks: Block, BlockStart and End are those of the block that holds the position, where End stops at MaxLength;
//   0 <= Index <= End, and Index == End lasts until the next move
//   beyond the blocks, past MaxLength, or where memory is offered aside: Block is empty, BlockStart is the position, Index and
//   End are 0
//   DataEnd = Length - BlockStart, but at most End, and -1 when the position is past the end in another block, or not 0 and in
//   none
// So a read needs one comparison to find that it can be completed within the block and one more to find that it is the last, and
// a write needs two. Fields and not properties: the fast paths of StreamBody read and write them in place.
internal struct BlockCursor
{
    public byte[] Block;
    public int Index;
    public int End;
    public int DataEnd;
    public long BlockStart;
    public long Length;

    public BlockCursor() => Block = [];

    /// <summary>Moves past a write that ends in the block, and extends the content if it ends beyond it.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void MoveOver(int index)
    {
        Index = index;
        if (index > DataEnd)
        {
            DataEnd = index;
            Length = BlockStart + index;
        }
    }

    /// <summary>Moves to a position in the block, or to its end.</summary>
    public void Enter(in StreamBlock block, long position, long maxLength)
    {
        Block = block.Array;
        End = (int)Math.Min(block.Size, maxLength - block.Start);
        BlockStart = block.Start;
        Index = (int)(position - block.Start);
        DataEnd = (int)Math.Clamp(Length - block.Start, -1, End);
    }

    /// <summary>
    /// Moves to a position at which there is no block, whose block is about to be removed, or at which memory is offered aside.
    /// </summary>
    public void LeaveBlocks(long position)
    {
        Block = [];
        End = 0;
        BlockStart = position;
        Index = 0;
        DataEnd = position == 0 ? 0 : -1;
    }
}
