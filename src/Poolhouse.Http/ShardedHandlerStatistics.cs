namespace Poolhouse.Http;

/// <summary>The counters of a sharded handler at one moment. An immutable snapshot.</summary>
public sealed class ShardedHandlerStatistics
{
    /// <summary>The shards that take requests, in order.</summary>
    public IReadOnlyList<ShardStatistics> Shards { get; init; } = [];

    /// <summary>
    /// Replaced shards whose disposal has not ended: some of their responses are still open, or connections are being closed.
    /// </summary>
    public int Retiring { get; init; }

    /// <summary>Shards replaced because they had reached <see cref="ShardedHandlerOptions.MaxLifetime"/>.</summary>
    public long RetiredForLifetime { get; init; }

    /// <summary>Shards replaced because the addresses of a watched host had changed.</summary>
    public long RetiredForDns { get; init; }

    /// <summary>Shards replaced by <see cref="ShardedHandler.Clear"/>.</summary>
    public long Cleared { get; init; }

    /// <summary>Lookups of a watched host that failed, took too long, or returned no address.</summary>
    public long ResolveFailures { get; init; }

    /// <summary>Shards that were not replaced because <see cref="ShardedHandlerOptions.CreateHandler"/> threw.</summary>
    public long CreateFailures { get; init; }
}
