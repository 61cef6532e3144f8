namespace Poolhouse.Http;

/// <summary>The counters of one shard at one moment. An immutable snapshot.</summary>
public sealed class ShardStatistics
{
    /// <summary>Requests whose responses have not ended.</summary>
    public int Outstanding { get; init; }

    /// <summary>Requests sent to the shard so far.</summary>
    public long Requests { get; init; }

    /// <summary>How long the shard has been taking requests.</summary>
    public TimeSpan Age { get; init; }
}
