namespace Poolhouse.Caching;

/// <summary>The totals of all stores, and the results of maintenance.</summary>
internal readonly record struct CacheSnapshot(TieredStoreSnapshot Stores, long DestroyFailures);
