using System.Data.Common;

namespace Poolhouse.Tool.Bench.Databases;

/// <summary>
/// The connections of a provider that has no data sources; closes what the provider pooled when it is disposed.
/// </summary>
internal sealed class ProviderSource<TConnection>(
    string connectionString, Func<string, TConnection> create, Action<TConnection> clearPool) : DbDataSource
    where TConnection : DbConnection
{
    public override string ConnectionString => connectionString;

    protected override DbConnection CreateDbConnection() => create(connectionString);

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
        using var connection = create(connectionString);
        clearPool(connection);
    }
}
