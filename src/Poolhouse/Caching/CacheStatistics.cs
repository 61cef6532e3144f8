namespace Poolhouse.Caching;

/// <summary>Combines the counters of the stores into the statistics of a cache.</summary>
// The fast paths count only pops. The number of returns is derived, because every item that was retained was later taken, was
// trimmed, or is still retained.
internal sealed class CacheStatistics(CacheEngine engine, long bytesPerUnit)
{
    private const int CreationsPerSample = 64;

    private long _prefilled;
    private long _doubleEnds;
    private long _peakLive;

    /// <summary>Counts an item that was created in advance: it is added like a return, but must not count as one.</summary>
    public void CountPrefilled() => Interlocked.Increment(ref _prefilled);

    /// <summary>Takes back the count of an item that was not added.</summary>
    public void UncountPrefilled() => Interlocked.Add(ref _prefilled, -1);

    /// <summary>Counts an attempt to end a lease that had already ended, on any thread.</summary>
    public void CountDoubleEnd() => Interlocked.Increment(ref _doubleEnds);

    /// <summary>
    /// Records the number of live items if it is a new maximum; see <see cref="CachePoolStatistics.PeakLive"/>.
    /// </summary>
    public void UpdatePeak() => Read(engine.GetSnapshot());

    /// <summary>The same, at every 64th creation on a thread.</summary>
    public void UpdatePeakOccasionally(long created)
    {
        if (created % CreationsPerSample == 0)
        {
            UpdatePeak();
        }
    }

    public CachePoolStatistics GetStatistics()
    {
        var snapshot = engine.GetSnapshot();
        var (rented, hits, returned, leased, peak) = Read(snapshot);
        var counters = snapshot.Counters;
        return new CachePoolStatistics
        {
            Rented = rented,
            Hits = hits,
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
            ForeignReturns = counters.ForeignReturns,
            WritesAfterReturn = counters.WritesAfterReturn,
            DestroyFailures = engine.DestroyFailures,
            Retained = snapshot.Retained,
            Leased = leased,
            PeakLive = peak,
            RetainedBytes = snapshot.RetainedUnits * bytesPerUnit,
            Closed = engine.IsDisposed,
        };
    }

    private (long Rented, long Hits, long Returned, long Leased, long Peak) Read(in CacheSnapshot snapshot)
    {
        var counters = snapshot.Counters;
        var kept = snapshot.Hits + snapshot.Trimmed + snapshot.Retained - Volatile.Read(ref _prefilled);

        // An item that was found changed was taken out of its store and discarded, but not rented.
        var hits = snapshot.Hits - counters.WritesAfterReturn;
        var rented = hits + counters.Misses;
        var returned = kept + counters.Surplus + counters.Refused;

        // Negative only if items were returned that were never rented from the pool.
        var leased = Math.Max(0, rented - returned - (counters.Discarded - counters.WritesAfterReturn) - counters.Detached);
        return (rented, hits, returned, leased, Maximum.Raise(ref _peakLive, snapshot.Retained + leased));
    }
}
