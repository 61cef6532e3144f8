namespace Poolhouse.Internal;

/// <summary>The sums over all lanes, and what maintenance did.</summary>
internal readonly record struct TiersSnapshot(LaneSnapshot Lanes, long Trimmed, long DestroyFailures);
