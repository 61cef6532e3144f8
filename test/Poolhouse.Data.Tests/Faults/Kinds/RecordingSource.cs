using System.Data.Common;

namespace Poolhouse.Data.Tests.Faults.Kinds;

/// <summary>A provider's data source that records each connection that it opens.</summary>
internal sealed class RecordingSource(DbDataSource inner, Action<DbConnection> opened) : DbDataSource
{
    public override string ConnectionString => inner.ConnectionString;

    protected override DbConnection CreateDbConnection() => inner.CreateConnection();

    protected override DbConnection OpenDbConnection()
    {
        var connection = inner.OpenConnection();
        opened(connection);
        return connection;
    }

    protected override async ValueTask<DbConnection> OpenDbConnectionAsync(CancellationToken cancellationToken = default)
    {
        var connection = await inner.OpenConnectionAsync(cancellationToken);
        opened(connection);
        return connection;
    }

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            inner.Dispose();
        }

        base.Dispose(disposing);
    }

    protected override async ValueTask DisposeAsyncCore()
    {
        await inner.DisposeAsync();
        await base.DisposeAsyncCore();
    }
}
