using System.Data.Common;

namespace Poolhouse.Data.Opening;

/// <summary>Opens connections of a data source.</summary>
internal sealed class SourceOpener(DbDataSource source, bool owns) : IConnectionOpener
{
    public async ValueTask<(DbConnection Connection, object? Origin)> OpenAsync(CancellationToken cancellationToken) =>
        (await source.OpenConnectionAsync(cancellationToken).ConfigureAwait(false), null);

    public (DbConnection Connection, object? Origin) Open(CancellationToken cancellationToken) => (source.OpenConnection(), null);

    public object? TypesOf(object? origin) => TypeReload.KeeperOf(source);

    public void Release()
    {
        if (owns)
        {
            source.Dispose();
        }
    }
}
