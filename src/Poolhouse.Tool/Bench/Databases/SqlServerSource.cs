using System.Data.Common;
using Microsoft.Data.SqlClient;

namespace Poolhouse.Tool.Bench.Databases;

/// <summary>SqlClient's connections as a source that closes what was pooled when it is disposed.</summary>
internal sealed class SqlServerSource(string connectionString) : DbDataSource
{
    public override string ConnectionString => connectionString;

    protected override DbConnection CreateDbConnection() => new SqlConnection(connectionString);

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
        using var connection = new SqlConnection(connectionString);
        SqlConnection.ClearPool(connection);
    }
}
