using System.Data.Common;
using System.Data.Odbc;
using DuckDB.NET.Data;
using FirebirdSql.Data.FirebirdClient;
using MySqlConnector;

namespace Poolhouse.Tool.Bench.Databases;

/// <summary>A driver for databases of which only the user has one.</summary>
/// <param name="Kind">What it connects to.</param>
/// <param name="Factory">Its factory.</param>
/// <param name="Example">A connection string, for messages.</param>
/// <param name="Resets">What the pools do between two uses, for reports.</param>
internal sealed record Driver(DatabaseKind Kind, DbProviderFactory Factory, string Example, string Resets)
{
    private static readonly Driver[] _all =
    [
        new(
            DatabaseKind.MySql, MySqlConnectorFactory.Instance, "Server=localhost;User ID=me;Database=mine",
            "Poolhouse and MySqlConnector's pool reset a session completely before its next use. ")
        {
            ClearPool = static connection => MySqlConnection.ClearPool((MySqlConnection)connection),
        },
        new(
            DatabaseKind.Odbc, OdbcFactory.Instance, "Driver={PostgreSQL Unicode};Server=localhost;Uid=me;Database=mine",
            "Poolhouse closes a session that executed more than plain statements. The provider has no pool. ")
        {
            IsAsynchronous = false,
            Library = "libodbc of unixODBC",
        },
        new(
            DatabaseKind.DuckDb, DuckDBClientFactory.Instance, "Data Source=mine.duckdb",
            "Poolhouse closes a session that executed more than plain statements. The provider has no pool. ")
        {
            IsAsynchronous = false,
            Library = "libduckdb",
        },
        new(
            DatabaseKind.Firebird, FirebirdClientFactory.Instance, "DataSource=localhost;User=me;Database=mine.fdb",
            "Poolhouse and the provider's pool only roll back an open transaction. ")
        {
            ClearPool = static connection => FbConnection.ClearPool((FbConnection)connection),
            SmallQuery = "SELECT 1 FROM RDB$DATABASE",
        },
    ];

    /// <summary>Closes the idle connections of the provider's pool for a connection string; null if it has no pool.</summary>
    public Action<DbConnection>? ClearPool { get; init; }

    /// <summary>What must be installed beside the tool; null if nothing.</summary>
    public string? Library { get; init; }

    /// <inheritdoc cref="Database.IsAsynchronous"/>
    public bool IsAsynchronous { get; init; } = true;

    /// <inheritdoc cref="Database.SmallQuery"/>
    public string SmallQuery { get; init; } = "SELECT 1";

    /// <summary>The driver for a kind of database; null if the tool can start or create one.</summary>
    public static Driver? Of(DatabaseKind? kind) => Array.Find(_all, driver => driver.Kind == kind);

    /// <summary>The driver's own builder for a connection string.</summary>
    /// <exception cref="ArgumentException">It is invalid.</exception>
    public DbConnectionStringBuilder Parse(string connectionString)
    {
        var builder = Factory.CreateConnectionStringBuilder()!;
        builder.ConnectionString = connectionString;
        return builder;
    }
}
