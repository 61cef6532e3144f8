using Poolhouse.Tool.Bench.Measuring;

namespace Poolhouse.Tool.Bench.Objects.Operations;

/// <summary>Short rentals with a burst now and then: eight times as many single rents as the burst that drains the pool
/// has.</summary>
// Without the burst, the same item would be reused each time, and neither MaxRetained nor the overflow would matter.
internal readonly struct ShortRentals<TSource>(TSource source, int share) : IOperation
    where TSource : struct, ISource<Item>
{
    private const int ShortOnesPerLongOne = 8;

    private readonly Pair<TSource> _single = new(source);
    private readonly Drain<TSource> _burst = new(source, share);

    public int Operations => share * (ShortOnesPerLongOne + 1);

    public long Invoke()
    {
        var sum = 0L;
        for (var i = 0; i < share * ShortOnesPerLongOne; i++)
        {
            sum += _single.Invoke();
        }

        return sum + _burst.Invoke();
    }
}
