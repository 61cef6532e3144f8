namespace Poolhouse.Internal;

/// <summary>The sums over some lanes at one moment.</summary>
internal struct TieredStoreSnapshot
{
    public long Retained;
    public long RetainedUnits;
    public long Hits;
    public CacheCounters Tally;
}
