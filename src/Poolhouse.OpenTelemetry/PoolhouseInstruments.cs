namespace Poolhouse.OpenTelemetry;

/// <summary>The names of the instruments of pools, for views, dashboards and alert rules.</summary>
public static class PoolhouseInstruments
{
    /// <summary>Up-down counter: 1 for the state of the pool, 0 for every other one.</summary>
    public const string Status = "poolhouse.pool.status";

    /// <summary>Up-down counter: items alive, by state.</summary>
    public const string ItemCount = "poolhouse.pool.item.count";

    /// <summary>Up-down counter: how many items may be alive.</summary>
    public const string ItemMax = "poolhouse.pool.item.max";

    /// <summary>Counter: items created.</summary>
    public const string ItemCreations = "poolhouse.pool.item.creations";

    /// <summary>Counter: creations that failed.</summary>
    public const string ItemCreateFailures = "poolhouse.pool.item.create_failures";

    /// <summary>Counter: items destroyed, by reason.</summary>
    public const string ItemDestructions = "poolhouse.pool.item.destructions";

    /// <summary>Up-down counter: bytes idle in pools of buffers.</summary>
    public const string IdleSize = "poolhouse.pool.idle.size";

    /// <summary>Counter: rents, by result.</summary>
    public const string Rents = "poolhouse.pool.rents";

    /// <summary>Counter: items returned.</summary>
    public const string Returns = "poolhouse.pool.returns";

    /// <summary>Counter: returns of items that had already been returned.</summary>
    public const string DoubleReturns = "poolhouse.pool.double_returns";

    /// <summary>Counter: misuse of items that caches in paranoid mode detected, by kind.</summary>
    public const string Misuses = "poolhouse.pool.misuses";

    /// <summary>Up-down counter: callers that are waiting.</summary>
    public const string PendingRequests = "poolhouse.pool.pending_requests";

    /// <summary>Counter: callers that were not served, by outcome.</summary>
    public const string WaitFailures = "poolhouse.pool.wait.failures";

    /// <summary>Counter: leases reported as suspected leaks.</summary>
    public const string SuspectedLeaks = "poolhouse.pool.suspected_leaks";

    /// <summary>Up-down counter: active leases, by label.</summary>
    public const string LeaseCount = "poolhouse.pool.lease.count";

    /// <summary>Histogram in seconds: the wait time of callers that had to wait.</summary>
    public const string WaitTime = "poolhouse.pool.wait_time";

    /// <summary>Histogram in seconds: how long it took to create an item.</summary>
    public const string CreateTime = "poolhouse.pool.create_time";

    /// <summary>Histogram in seconds: how long items were leased.</summary>
    public const string UseTime = "poolhouse.pool.use_time";

    /// <summary>Up-down counter: open database connections, by state.</summary>
    public const string DbConnectionCount = "db.client.connection.count";

    /// <summary>Up-down counter: how many database connections may be idle.</summary>
    public const string DbConnectionIdleMax = "db.client.connection.idle.max";

    /// <summary>Up-down counter: how many database connections are kept idle.</summary>
    public const string DbConnectionIdleMin = "db.client.connection.idle.min";

    /// <summary>Up-down counter: how many database connections may be open.</summary>
    public const string DbConnectionMax = "db.client.connection.max";

    /// <summary>Up-down counter: callers that wait for a database connection.</summary>
    public const string DbConnectionPendingRequests = "db.client.connection.pending_requests";

    /// <summary>Counter: callers that got no database connection in time.</summary>
    public const string DbConnectionTimeouts = "db.client.connection.timeouts";

    /// <summary>Up-down counter: database connections whose close has begun and has not completed.</summary>
    public const string DbConnectionClosingCount = "poolhouse.db.connection.closing.count";

    /// <summary>Histogram in seconds: how long it took to open a database connection.</summary>
    public const string DbConnectionCreateTime = "db.client.connection.create_time";

    /// <summary>Histogram in seconds: how long it took to get a database connection from the pool, at once or not.</summary>
    public const string DbConnectionWaitTime = "db.client.connection.wait_time";

    /// <summary>Histogram in seconds: how long database connections were leased.</summary>
    public const string DbConnectionUseTime = "db.client.connection.use_time";
}
