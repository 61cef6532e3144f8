using Poolhouse.Tool.Bench.Measuring;
using Poolhouse.Tool.Bench.Objects.Operations;

namespace Poolhouse.Tool.Bench.Growth;

/// <summary>Rents by each of several keys in turn, and returns. Each key has an idle item.</summary>
internal struct RentByKey(KeyedResourcePool<int, Item> pool, int keys) : IOperation
{
    private const int Step = 7919;

    private int _next;

    public readonly int Operations => 1;

    public long Invoke()
    {
        _next = (_next + Step) % keys;
        using var lease = pool.Rent(_next, CancellationToken.None);
        return lease.Value.Touch();
    }
}
