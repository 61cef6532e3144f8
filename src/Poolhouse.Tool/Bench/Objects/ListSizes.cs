using System.Collections.Concurrent;
using Microsoft.Extensions.ObjectPool;
using Poolhouse.Tool.Bench.Measuring;
using Poolhouse.Tool.Bench.Objects.Operations;

namespace Poolhouse.Tool.Bench.Objects;

/// <summary>The list experiment of the article on ObjectPool and ArrayPool internals.</summary>
internal sealed class ListSizes : SizeSweep
{
    // Enough for every thread to give its list back, so that no rival is judged by a bound that is too tight.
    private const int LeastRetained = 64;

    public override string Id => "objects-lists";

    public override string Group => "objects";

    public override string Title => "Lists of 10 to 1,000,000 numbers";

    public override string Question => "From what size and number of threads on is pooling a List<int> faster than creating one?";

    public override string Method =>
        "Every thread rents a list, adds numbers one by one, and returns it; without a pool, the list starts empty and "
        + "grows, as in the article. The deviation is on a logarithmic axis of ratios: half the time is as far from "
        + "no deviation as twice the time.";

    protected override string Things => "numbers";

    protected override Cell CellOf(int threads, int length) => new("", threads, [length],
    [
        new Contender<FillList<NewLists>>(RivalNames.NoPool, _ => new(_ => new(default, length))),
        new Contender<FillList<DefaultLists>>(RivalNames.DefaultPool, workers =>
        {
            var pool = new DefaultObjectPool<List<int>>(new ListPolicy(), Math.Max(LeastRetained, workers));
            return new(_ => new(new(pool), length));
        }),
        new Contender<FillList<PoolhouseLists>>(RivalNames.Poolhouse, workers =>
        {
            var options = new ObjectPoolOptions { MaxRetained = Math.Max(LeastRetained, workers) };
            var pool = new TieredObjectPool<List<int>>(new ListPolicy(), options);
            return new(_ => new(new(pool), length), pool);
        }),
        new Contender<FillList<BagLists>>(RivalNames.Bag, _ =>
        {
            var bag = new ConcurrentBag<List<int>>();
            return new(_ => new(new(bag), length));
        }),
    ]);
}
