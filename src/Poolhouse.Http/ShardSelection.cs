namespace Poolhouse.Http;

/// <summary>How the shard for a request is selected.</summary>
public enum ShardSelection
{
    /// <summary>The shard with the fewest outstanding responses; ties are broken in turn.</summary>
    LeastOutstanding,

    /// <summary>The next shard in turn.</summary>
    RoundRobin,

    /// <summary>
    /// The same shard for the same key (<see cref="ShardedHandlerOptions.KeyOf"/>); requests without a key as with
    /// <see cref="LeastOutstanding"/>.
    /// </summary>
    ByKey,
}
