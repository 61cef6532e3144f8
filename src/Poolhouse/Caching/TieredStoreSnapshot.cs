using Poolhouse.Caching.Threads;

namespace Poolhouse.Caching;

/// <summary>The totals of several stores at one moment.</summary>
internal struct TieredStoreSnapshot
{
    public long Retained;
    public long RetainedUnits;
    public long Hits;
    public long Trimmed;
    public CacheCounters Counters;
}
