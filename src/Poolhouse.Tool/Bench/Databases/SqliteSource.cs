using System.Data.Common;
using Microsoft.Data.Sqlite;

namespace Poolhouse.Tool.Bench.Databases;

/// <summary>SQLite's own connections as a source, since version 6 of the provider has none; closes what it pooled when it is
/// disposed.</summary>
internal sealed class SqliteSource(string connectionString) : DbDataSource
{
    public override string ConnectionString => connectionString;

    protected override DbConnection CreateDbConnection() => new SqliteConnection(connectionString);

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            ClearPool();
        }

        base.Dispose(disposing);
    }

    protected override ValueTask DisposeAsyncCore()
    {
        ClearPool();
        return base.DisposeAsyncCore();
    }

    private void ClearPool()
    {
        using var connection = new SqliteConnection(connectionString);
        SqliteConnection.ClearPool(connection);
    }
}
