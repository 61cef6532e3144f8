namespace Poolhouse.Http;

/// <summary>Which shard gets a request.</summary>
public enum ShardSelection
{
    /// <summary>The one with the fewest requests whose responses have not ended; among equals in turn.</summary>
    LeastOutstanding,

    /// <summary>One after another.</summary>
    RoundRobin,

    /// <summary>
    /// The same for the same key (<see cref="ShardedHandlerOptions.KeyOf"/>); requests without a key as with
    /// <see cref="LeastOutstanding"/>.
    /// </summary>
    ByKey,
}
