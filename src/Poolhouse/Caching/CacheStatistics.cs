using Poolhouse.Kernel.Threading;

namespace Poolhouse.Caching;

/// <summary>Adds up what the stores counted to the statistics that a cache shows.</summary>
// The fast paths count nothing but pops. Everything else follows, because every item that was kept was later taken, trimmed, or is
// still here.
internal sealed class CacheStatistics(CacheEngine engine, bool countsBytes)
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
    public void UpdatePeak() => Read(engine.GetSnapshot());

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
        var snapshot = engine.GetSnapshot();
        var (rented, returned, leased, peak) = Read(snapshot);
        var stores = snapshot.Lanes;
        var counters = stores.Counters;
        return new PoolStatistics
        {
            Rented = rented,
            Hits = stores.Hits,
            Misses = counters.Misses,
            Returned = returned,
            Created = counters.Created,
            Destroyed = counters.Surplus + counters.Refused + snapshot.Trimmed + counters.Discarded,
            Surplus = counters.Surplus,
            Refused = counters.Refused,
            Trimmed = snapshot.Trimmed,
            Discarded = counters.Discarded,
            Detached = counters.Detached,
            DoubleReturns = counters.DoubleReturns + Volatile.Read(ref _doubleEnds),
            DestroyFailures = snapshot.DestroyFailures,
            Retained = stores.Retained,
            Leased = leased,
            PeakLive = peak,
            RetainedBytes = countsBytes ? stores.RetainedUnits : 0,
        };
    }

    private (long Rented, long Returned, long Leased, long Peak) Read(in CacheSnapshot snapshot)
    {
        var stores = snapshot.Lanes;
        var counters = stores.Counters;
        var kept = stores.Hits + snapshot.Trimmed + stores.Retained - Volatile.Read(ref _prefilled);
        var rented = stores.Hits + counters.Misses;
        var returned = kept + counters.Surplus + counters.Refused;

        // Negative only when items were returned that the pool never rented out.
        var leased = Math.Max(0, rented - returned - counters.Discarded - counters.Detached);
        return (rented, returned, leased, RaisePeak(stores.Retained + leased));
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
