namespace Poolhouse.Http;

/// <summary>The counters of one shard at one moment.</summary>
/// <param name="Outstanding">Requests whose responses have not ended.</param>
/// <param name="Requests">Requests sent to the shard so far.</param>
/// <param name="Age">How long the shard has been taking requests.</param>
public readonly record struct ShardStatistics(int Outstanding, long Requests, TimeSpan Age);
