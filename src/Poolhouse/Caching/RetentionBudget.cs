namespace Poolhouse.Caching;

/// <summary>How much a pool may still retain, in units: items for objects, bytes for arrays.</summary>
// Invariant: free + retained by the stores = Max, always. Stores take from the budget before they keep an item and give back
// after they release one, so the retained amount never exceeds Max at any instant (I2).
internal sealed class RetentionBudget(long max) : CacheLinePadding
{
    private const int ShareDivisor = 8;

    private long _free = max;

    public long Max { get; } = max;

    public long Free => Volatile.Read(ref _free);

    /// <summary>
    /// Takes up to <paramref name="slots"/> slots of <paramref name="weight"/> units each, but at most an eighth of what is left,
    /// or one slot if little is left.
    /// </summary>
    /// <returns>The number of slots taken, possibly 0.</returns>
    // A thread reserves ahead of need, so the less is available, the less it may reserve: slots hoarded by one thread are
    // unavailable to others until a sweep reclaims them.
    public int Take(int slots, long weight)
    {
        while (true)
        {
            var free = Volatile.Read(ref _free);
            var left = free / weight;
            var got = (int)Math.Min(slots, left < ShareDivisor ? Math.Min(left, 1) : left / ShareDivisor);
            if (got <= 0)
            {
                return 0;
            }

            if (Interlocked.CompareExchange(ref _free, free - (got * weight), free) == free)
            {
                return got;
            }
        }
    }

    public void Give(int slots, long weight)
    {
        if (slots != 0)
        {
            Interlocked.Add(ref _free, slots * weight);
        }
    }
}
