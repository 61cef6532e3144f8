namespace Poolhouse.Internal;

/// <summary>The sums over all lanes, and what maintenance did.</summary>
internal readonly record struct CacheSnapshot(TieredStoreSnapshot Lanes, long Trimmed, long DestroyFailures);
