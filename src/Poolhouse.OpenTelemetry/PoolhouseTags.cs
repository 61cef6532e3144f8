namespace Poolhouse.OpenTelemetry;

/// <summary>The names of the tags of measurements and activities of pools.</summary>
public static class PoolhouseTags
{
    /// <summary>The name of the pool.</summary>
    public const string PoolName = "poolhouse.pool.name";

    /// <summary>The state of a pool.</summary>
    public const string Condition = "poolhouse.pool.condition";

    /// <summary>The state of items.</summary>
    public const string ItemState = "poolhouse.pool.item.state";

    /// <summary>Why an item was destroyed.</summary>
    public const string DestroyReason = "poolhouse.pool.destroy.reason";

    /// <summary>The kind of a misuse that a cache in paranoid mode detected.</summary>
    public const string MisuseKind = "poolhouse.pool.misuse.kind";

    /// <summary>Whether an idle item served a rent, a new one was created, or the caller had to wait.</summary>
    public const string RentResult = "poolhouse.pool.rent.result";

    /// <summary>How a wait ended.</summary>
    public const string WaitOutcome = "poolhouse.pool.wait.outcome";

    /// <summary>The label of a lease.</summary>
    public const string LeaseLabel = "poolhouse.lease.label";

    /// <summary>The name of a pool of database connections.</summary>
    public const string DbPoolName = "db.client.connection.pool.name";

    /// <summary>The state of database connections.</summary>
    public const string DbConnectionState = "db.client.connection.state";
}
