using System.Data.Common;

namespace Poolhouse.Data.Opening;

/// <summary>A data source that configures each connection before it is opened.</summary>
internal sealed class ConfiguredSource : DbDataSource
{
    private readonly DbDataSource _inner;
    private readonly Action<DbConnection> _configure;

    private ConfiguredSource(DbDataSource inner, Action<DbConnection> configure) => (_inner, _configure) = (inner, configure);

    public override string ConnectionString => _inner.ConnectionString;

    /// <summary>The data source itself if there is nothing to configure.</summary>
    public static DbDataSource Of(DbDataSource inner, Action<DbConnection>? configure) =>
        configure is null ? inner : new ConfiguredSource(inner, configure);

    protected override DbConnection CreateDbConnection()
    {
        var connection = _inner.CreateConnection();
        try
        {
            _configure(connection);
            return connection;
        }
        catch
        {
            connection.Dispose();
            throw;
        }
    }

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            _inner.Dispose();
        }

        base.Dispose(disposing);
    }
}
