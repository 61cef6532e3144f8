using Poolhouse.Buffers;
using Poolhouse.Caching.Misuse;

namespace Poolhouse.Streams.Blocks;

/// <summary>Fills the first block of an idle stream. Its other blocks are in an array pool, which does the same.</summary>
internal sealed class FirstBlockPoison(bool clears) : ItemPoison<StreamBody>
{
    private readonly ArrayPoison<byte> _block = new(clears);

    public override object Apply(StreamBody item) => _block.Apply(item.FirstBlock);

    public override bool IsIntact(StreamBody item, object mark) => _block.IsIntact(item.FirstBlock, mark);
}
