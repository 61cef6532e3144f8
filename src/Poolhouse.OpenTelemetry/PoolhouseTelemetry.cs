namespace Poolhouse.OpenTelemetry;

/// <summary>The names of the meters and activity sources of pools.</summary>
public static class PoolhouseTelemetry
{
    /// <summary>The meter of all pools.</summary>
    public const string Meter = "Poolhouse";

    /// <summary>
    /// The meter of pools of database connections, with the instruments that the conventions of OpenTelemetry define.
    /// </summary>
    public const string DataMeter = "Poolhouse.Data";

    /// <summary>The activity source of pools of database connections.</summary>
    public const string DataActivitySource = "Poolhouse.Data";

    /// <summary>The activity of a caller that waits for a database connection.</summary>
    public const string WaitActivity = "db.client.connection.wait";
}
