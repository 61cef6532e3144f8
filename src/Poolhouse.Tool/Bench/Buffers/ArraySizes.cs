using Poolhouse.Tool.Bench.Measuring;

namespace Poolhouse.Tool.Bench.Buffers;

/// <summary>The article's array experiment.</summary>
internal sealed class ArraySizes : SizeSweep
{
    public override string Id => "arrays-sizes";

    public override string Group => "arrays";

    public override string Title => "Arrays of 10 to 1,000,000 numbers";

    public override string Question => "From what size and number of threads on is renting an int[] faster than creating one?";

    public override string Method =>
        "Every thread rents an array, writes every element, and returns it. Poolhouse is TieredArrayPool.Shared, the like of "
        + "ArrayPool.Shared; both are called through their static types. ArrayPool.Create is a private pool.";

    protected override string Things => "numbers";

    protected override Cell CellOf(int threads, int length) => new("", threads, [length],
    [
        new Contender<FillArray<NewArrays>>(RivalNames.NoPool, _ => new(_ => new(default, length))),
        new Contender<FillArray<SharedArrays>>(RivalNames.SharedArrays, _ => new(_ => new(default, length))),
        new Contender<FillArray<CreatedArrays>>(RivalNames.CreatedArrays, workers =>
        {
            var pool = CreatedArrays.PoolFor(workers);
            return new(_ => new(new(pool), length));
        }),
        new Contender<FillArray<PoolhouseArrays>>(RivalNames.Poolhouse, _ => new(_ => new(default, length))),
    ]);
}
