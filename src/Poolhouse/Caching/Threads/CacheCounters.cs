namespace Poolhouse.Caching.Threads;

/// <summary>
/// Counters of events off the fast path, without interlocked instructions: one set per thread and store, summed on read.
/// </summary>
internal struct CacheCounters
{
    public long Misses;
    public long Created;
    public long Surplus;
    public long Refused;
    public long Discarded;
    public long Detached;
    public long DoubleReturns;
    public long ForeignReturns;
    public long WritesAfterReturn;

    public void Add(in CacheCounters other)
    {
        Misses += other.Misses;
        Created += other.Created;
        Surplus += other.Surplus;
        Refused += other.Refused;
        Discarded += other.Discarded;
        Detached += other.Detached;
        DoubleReturns += other.DoubleReturns;
        ForeignReturns += other.ForeignReturns;
        WritesAfterReturn += other.WritesAfterReturn;
    }
}
