namespace Poolhouse.Internal;

/// <summary>Adds up what the lanes counted to the statistics that a cache shows.</summary>
// The fast paths count nothing but pops. Everything else follows, because every item that was kept was later taken, trimmed, or is
// still here.
internal sealed class CacheStatistics(CacheEngine tiers, bool countsBytes)
{
    private const int CreationsPerLook = 64;

    private long _prefilled;
    private long _doubleEnds;
    private long _peakLive;

    /// <summary>An item was made for the pool and not for a renter: it is put in like a return and must not count as one.</summary>
    public void CountPrefilled() => Interlocked.Increment(ref _prefilled);

    /// <summary>A lease was ended that had ended, by whichever thread.</summary>
    public void CountDoubleEnd() => Interlocked.Increment(ref _doubleEnds);

    /// <summary>Notes how many items are alive, if that is more than ever: see <see cref="PoolStatistics.PeakLive"/>.</summary>
    public void UpdatePeak() => Read(tiers.GetSnapshot());

    /// <summary>The same, at every 64th creation of a thread.</summary>
    public void UpdatePeakOccasionally(long created)
    {
        if (created % CreationsPerLook == 0)
        {
            UpdatePeak();
        }
    }

    public PoolStatistics GetStatistics()
    {
        var snapshot = tiers.GetSnapshot();
        var (rented, returned, leased, peak) = Read(snapshot);
        var lanes = snapshot.Lanes;
        var tally = lanes.Tally;
        return new PoolStatistics
        {
            Rented = rented,
            Hits = lanes.Hits,
            Misses = tally.Misses,
            Returned = returned,
            Created = tally.Created,
            Destroyed = tally.Surplus + tally.Refused + snapshot.Trimmed + tally.Discarded,
            Surplus = tally.Surplus,
            Refused = tally.Refused,
            Trimmed = snapshot.Trimmed,
            Discarded = tally.Discarded,
            Detached = tally.Detached,
            DoubleReturns = tally.DoubleReturns + Volatile.Read(ref _doubleEnds),
            DestroyFailures = snapshot.DestroyFailures,
            Retained = lanes.Retained,
            Leased = leased,
            PeakLive = peak,
            RetainedBytes = countsBytes ? lanes.RetainedUnits : 0,
        };
    }

    private (long Rented, long Returned, long Leased, long Peak) Read(in CacheSnapshot snapshot)
    {
        var lanes = snapshot.Lanes;
        var tally = lanes.Tally;
        var kept = lanes.Hits + snapshot.Trimmed + lanes.Retained - Volatile.Read(ref _prefilled);
        var rented = lanes.Hits + tally.Misses;
        var returned = kept + tally.Surplus + tally.Refused;

        // Negative only when items were returned that the pool never rented out.
        var leased = Math.Max(0, rented - returned - tally.Discarded - tally.Detached);
        return (rented, returned, leased, RaisePeak(lanes.Retained + leased));
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
