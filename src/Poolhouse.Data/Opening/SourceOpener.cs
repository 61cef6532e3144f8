using System.Data.Common;

namespace Poolhouse.Data.Opening;

/// <summary>Opens connections of a data source.</summary>
internal sealed class SourceOpener(DbDataSource source, bool owns) : IConnectionOpener
{
    public async ValueTask<(DbConnection Connection, object? Origin)> OpenAsync(CancellationToken cancellationToken) =>
        (await source.OpenConnectionAsync(cancellationToken).ConfigureAwait(false), null);

    public (DbConnection Connection, object? Origin) Open(CancellationToken cancellationToken) => (source.OpenConnection(), null);

    // Npgsql's source for several hosts keeps the types of each host separately, and does not tell which host a connection is on.
    public object? TypesOf(object? origin) =>
        source.GetType().FullName is "Npgsql.NpgsqlMultiHostDataSource" or "Npgsql.MultiHostDataSourceWrapper"
            ? new object()
            : this;

    public void Release()
    {
        if (owns)
        {
            source.Dispose();
        }
    }
}
