namespace Poolhouse.Http;

/// <summary>The counters of a sharded handler at one moment. An immutable snapshot.</summary>
public sealed record ShardedHandlerStatistics
{
    /// <summary>The shards that take requests, in their order.</summary>
    public IReadOnlyList<ShardStatistics> Shards { get; init; } = [];

    /// <summary>
    /// Shards that take no requests any more and are not disposed yet, because responses of theirs have not ended.
    /// </summary>
    public int Retiring { get; init; }

    /// <summary>Shards replaced because they had reached <see cref="ShardedHandlerOptions.Lifetime"/>.</summary>
    public long RetiredForLifetime { get; init; }

    /// <summary>Shards replaced because the addresses of a watched host had changed.</summary>
    public long RetiredForDns { get; init; }

    /// <summary>Shards replaced by <see cref="ShardedHandler.Clear"/>.</summary>
    public long Cleared { get; init; }

    /// <summary>Look-ups of a watched host that failed, took too long, or gave no address.</summary>
    public long ResolveFailures { get; init; }

    /// <summary>Shards that stayed because <see cref="ShardedHandlerOptions.CreateHandler"/> threw.</summary>
    public long CreateFailures { get; init; }
}
