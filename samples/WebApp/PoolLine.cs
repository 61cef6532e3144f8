namespace Poolhouse.Samples;

/// <summary>One pool of the app.</summary>
/// <param name="Name">The name of the pool: pools without one are named after their item type.</param>
/// <param name="Statistics">What the pool has done.</param>
public sealed record PoolLine(string Name, CachePoolStatistics Statistics);
