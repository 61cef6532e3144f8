using Poolhouse.Tool.Advise.Sampling;
using Poolhouse.Tool.Watch;

namespace Poolhouse.Tool.Advise.Rules;

/// <summary>Whether the pools that the app has do what they are for.</summary>
internal static class PoolRules
{
    private const double LeastPerSecond = 20;
    private const double FewReturns = 0.5;
    private const double ManyMisses = 0.1;

    public static IEnumerable<Finding> Find(Sample sample)
    {
        if (OfArrayPool(sample) is { } finding)
        {
            yield return finding;
        }

        foreach (var pool in sample.Pools.Where(pool => pool.Rule > Rule.Suspended || pool.Rule == Rule.TooLarge))
        {
            yield return new Finding
            {
                Rule = "pool-in-distress",
                Title = $"Pool '{pool.Pool.Name}': {pool.Verdict}. {pool.Next}",
                Figures = $"{pool.Figures}.",
                Threshold = "as 'poolhouse watch' judges pools.",
                Url = pool.Url ?? Docs.Page("guides/at-3-am.md"),
            };
        }
    }

    public static IEnumerable<Remark> Remarks(Sample sample)
    {
        var pools = sample.ArrayPool;
        if (pools.Rented > 0 && OfArrayPool(sample) is null)
        {
            yield return new Remark(
                "arrays of the ArrayPool",
                $"{Units.Count(pools.Rented)} rents and {Units.Count(pools.Returned)} returns counted, " +
                $"{Units.Digits(sample.PerSecond(pools.Allocated.Count))} arrays allocated a second: it works.");
        }

        if (sample.Pools.Count > 0 && sample.Pools.All(pool => pool.Rule == Rule.None))
        {
            yield return new Remark("the pools of Poolhouse", $"All {Units.Count(sample.Pools.Count)} are in order.");
        }
    }

    private static Finding? OfArrayPool(Sample sample)
    {
        var pools = sample.ArrayPool;
        var perSecond = sample.PerSecond(pools.Allocated.Count);
        if (!pools.Allocated.GoOn || perSecond < LeastPerSecond || pools.Rented == 0)
        {
            return null;
        }

        var figures =
            $"{Units.Digits(perSecond)} arrays allocated a second although they are pooled, {Units.Bytes(pools.Elements)} at " +
            $"least; {Units.Count(pools.Dropped)} returned arrays dropped and {Units.Count(pools.Trimmed)} trimmed. " +
            $"{Units.Count(pools.Rented)} rents and {Units.Count(pools.Returned)} returns counted.";
        var estimate = new Estimate(Estimate.Bytes, sample.Allocated, Math.Max(0, sample.Allocated - pools.Elements));
        if (pools.Returned < pools.Rented * FewReturns)
        {
            return new Finding
            {
                Rule = "array-pool-returns",
                Title = "Return the arrays that are rented from the ArrayPool",
                Figures = figures,
                Threshold = "from 20 allocated arrays a second on, if fewer than half of the rented arrays are returned.",
                Code = """
                    var array = ArrayPool<byte>.Shared.Rent(length);
                    try { … } finally { ArrayPool<byte>.Shared.Return(array); }

                    // or returned by the end of the block, exactly once:
                    using var lease = TieredArrayPool<byte>.Shared.RentExact(length);
                    """,
                Estimate = estimate,
                Url = Docs.Page("guides/arrays.md"),
            };
        }

        return pools.Missed < pools.Rented * ManyMisses ? null : new Finding
        {
            Rule = "array-pool-misses",
            Title = "Use an array pool that keeps enough",
            Figures = figures,
            Threshold = "from 20 allocated arrays a second on, if at least one of ten rents finds no array.",
            Code = """
                // with a bound of your own:
                static readonly TieredArrayPool<byte> Buffers = new(new ArrayPoolOptions { … });
                using var lease = Buffers.RentExact(length);
                """,
            Estimate = estimate,
            Url = Docs.Page("guides/arrays.md"),
        };
    }
}
