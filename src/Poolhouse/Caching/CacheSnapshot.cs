namespace Poolhouse.Caching;

/// <summary>The sums over all stores, and what maintenance did.</summary>
internal readonly record struct CacheSnapshot(TieredStoreSnapshot Lanes, long Trimmed, long DestroyFailures);
