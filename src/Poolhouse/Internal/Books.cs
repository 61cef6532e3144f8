namespace Poolhouse.Internal;

/// <summary>Adds up what the lanes counted to the statistics that a cache shows.</summary>
// The fast paths count nothing but pops. Everything else follows, because every item that was kept was later taken, trimmed, or is
// still here.
internal sealed class Books(Tiers tiers, bool countsBytes)
{
    private long _prefilled;
    private long _doubleEnds;
    private long _peakLive;

    public void CountPrefilled() => Interlocked.Increment(ref _prefilled);

    /// <summary>A lease was ended that had ended, by whichever thread.</summary>
    public void CountDoubleEnd() => Interlocked.Increment(ref _doubleEnds);

    /// <summary>Notes how many items are alive, if that is more than ever: see <see cref="PoolStatistics.PeakLive"/>.</summary>
    public void LookForPeak() => GetStatistics();

    public PoolStatistics GetStatistics()
    {
        var (lanes, trimmed, destroyFailures) = tiers.GetSnapshot();
        var tally = lanes.Tally;
        var kept = lanes.Hits + trimmed + lanes.Retained - Volatile.Read(ref _prefilled);
        var rented = lanes.Hits + tally.Misses;
        var returned = kept + tally.Surplus + tally.Refused;

        // Negative only when items were returned that the pool never rented out.
        var leased = Math.Max(0, rented - returned - tally.Discarded - tally.Detached);
        return new PoolStatistics
        {
            Rented = rented,
            Hits = lanes.Hits,
            Misses = tally.Misses,
            Returned = returned,
            Created = tally.Created,
            Destroyed = tally.Surplus + tally.Refused + trimmed + tally.Discarded,
            Surplus = tally.Surplus,
            Refused = tally.Refused,
            Trimmed = trimmed,
            Discarded = tally.Discarded,
            Detached = tally.Detached,
            DoubleReturns = tally.DoubleReturns + Volatile.Read(ref _doubleEnds),
            DestroyFailures = destroyFailures,
            Retained = lanes.Retained,
            Leased = leased,
            PeakLive = RaisePeak(lanes.Retained + leased),
            RetainedBytes = countsBytes ? lanes.RetainedUnits : 0,
        };
    }

    private long RaisePeak(long live)
    {
        var peak = Volatile.Read(ref _peakLive);
        while (live > peak)
        {
            var seen = Interlocked.CompareExchange(ref _peakLive, live, peak);
            if (seen == peak)
            {
                return live;
            }

            peak = seen;
        }

        return peak;
    }
}
