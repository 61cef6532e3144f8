using Poolhouse.Data.UseUnwrap;

namespace Poolhouse.Data.Opening;

/// <summary>Connections whose types have the names of well-known providers' types.</summary>
// Dapper and others recognize a database by the unqualified name of the connection's type: Dapper passes an array to PostgreSQL
// as one parameter only if that is "NpgsqlConnection" (its FeatureSupport), and Dapper.Contrib chooses its SQL so. There is no
// other way to inform them.
internal static class NamedConnections
{
    public static Func<PooledDataSource, PooledConnection> For(Type providersType) => providersType.Name switch
    {
        nameof(NpgsqlConnection) => static source => new NpgsqlConnection(source),
        nameof(SqliteConnection) => static source => new SqliteConnection(source),
        nameof(SqlConnection) => static source => new SqlConnection(source),
        nameof(MySqlConnection) => static source => new MySqlConnection(source),
        _ => static source => new PooledConnection(source),
    };
}
