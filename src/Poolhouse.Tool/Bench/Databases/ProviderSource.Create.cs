using Microsoft.Data.SqlClient;
using Microsoft.Data.Sqlite;

namespace Poolhouse.Tool.Bench.Databases;

/// <summary>Creates sources for the providers that have none.</summary>
internal static class ProviderSource
{
    public static ProviderSource<SqliteConnection> OfSqlite(string connectionString) =>
        new(connectionString, static text => new SqliteConnection(text), SqliteConnection.ClearPool);

    public static ProviderSource<SqlConnection> OfSqlServer(string connectionString) =>
        new(connectionString, static text => new SqlConnection(text), SqlConnection.ClearPool);
}
