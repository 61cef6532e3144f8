using Poolhouse.Tool.Bench.Measuring;

namespace Poolhouse.Tool.Bench.Objects.Operations;

/// <summary>Rents an item, touches it, returns it.</summary>
internal readonly struct Pair<TSource>(TSource source) : IOperation
    where TSource : struct, ISource<Item>
{
    public int Operations => 1;

    public long Invoke()
    {
        var item = source.Take();
        var result = item.Touch();
        source.Give(item);
        return result;
    }
}
