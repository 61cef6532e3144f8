namespace Poolhouse.Http;

/// <summary>What is known about one shard at one moment.</summary>
/// <param name="Outstanding">Requests whose responses have not ended.</param>
/// <param name="Requests">Requests that it got so far.</param>
/// <param name="Age">How long it has taken requests.</param>
public readonly record struct ShardStatistics(int Outstanding, long Requests, TimeSpan Age);
