namespace Poolhouse.Tool.Watch;

/// <summary>An event in the life of a pool.</summary>
internal sealed record PoolEvent(DateTime Time, string Pool, string Name, string Text);
