using Poolhouse.Tool.Bench.Measuring;

namespace Poolhouse.Tool.Bench.Objects.Operations;

/// <summary>Long rentals: rents this worker's share of the pool and its overflow, then returns all of it.</summary>
internal readonly struct Drain<TSource>(TSource source, int share) : IOperation
    where TSource : struct, ISource<Item>
{
    private readonly Item?[] _out = new Item?[share];

    public int Operations => _out.Length;

    public long Invoke()
    {
        var rented = _out;
        var sum = 0L;
        for (var i = 0; i < rented.Length; i++)
        {
            var item = source.Take();
            sum += item.Touch();
            rented[i] = item;
        }

        for (var i = 0; i < rented.Length; i++)
        {
            source.Give(rented[i]!);
        }

        return sum;
    }
}
