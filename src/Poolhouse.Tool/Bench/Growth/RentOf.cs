using Poolhouse.Tool.Bench.Measuring;
using Poolhouse.Tool.Bench.Objects.Operations;

namespace Poolhouse.Tool.Bench.Growth;

/// <summary>Rents from each of several resource pools in turn, and returns.</summary>
// A step that has no divisor in common with any number of pools visits all of them, and no prefetcher guesses it.
internal struct RentOf(ResourcePool<Item>[] pools) : IOperation
{
    private const int Step = 7919;

    private int _next;

    public readonly int Operations => 1;

    public long Invoke()
    {
        _next = (_next + Step) % pools.Length;
        using var lease = pools[_next].Rent(CancellationToken.None);
        return lease.Value.Touch();
    }
}
