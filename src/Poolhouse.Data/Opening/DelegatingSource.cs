using System.Data.Common;

namespace Poolhouse.Data.Opening;

/// <summary>A data source whose connections a delegate creates.</summary>
/// <param name="create">Returns a new, closed connection.</param>
/// <param name="inner">The data source that the delegate uses, which ends with this one; null if there is none.</param>
internal sealed class DelegatingSource(Func<DbConnection> create, DbDataSource? inner = null) : DbDataSource
{
    /// <inheritdoc/>
    public override string ConnectionString => inner?.ConnectionString ?? string.Empty;

    /// <summary>Configures each connection before it is opened; the source itself if there is nothing to configure.</summary>
    public static DbDataSource Of(DbDataSource source, Action<DbConnection>? configure)
    {
        return configure is null ? source : new DelegatingSource(Create, source);

        DbConnection Create()
        {
            var connection = source.CreateConnection();
            try
            {
                configure(connection);
                return connection;
            }
            catch
            {
                connection.Dispose();
                throw;
            }
        }
    }

    /// <inheritdoc/>
    protected override DbConnection CreateDbConnection() => create();

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            inner?.Dispose();
        }

        base.Dispose(disposing);
    }
}
