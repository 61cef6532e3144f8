using Poolhouse.Tool.Bench.Measuring;
using Poolhouse.Tool.Bench.Objects.Operations;

namespace Poolhouse.Tool.Bench.Growth;

/// <summary>Gets from each of several object pools in turn, and returns.</summary>
internal struct GetOf(TieredObjectPool<Item>[] pools) : IOperation
{
    private const int Step = 7919;

    private int _next;

    public readonly int Operations => 1;

    public long Invoke()
    {
        _next = (_next + Step) % pools.Length;
        var item = pools[_next].Get();
        var result = item.Touch();
        pools[_next].Return(item);
        return result;
    }
}
