using Poolhouse.Caching.Threads;

namespace Poolhouse.Caching;

/// <summary>The totals of all stores of a cache at one moment.</summary>
internal struct CacheSnapshot
{
    public long Retained;
    public long RetainedUnits;
    public long Hits;
    public long Trimmed;
    public CacheCounters Counters;
}
