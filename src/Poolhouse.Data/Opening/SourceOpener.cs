using System.Data.Common;

namespace Poolhouse.Data.Opening;

/// <summary>Opens connections of a data source.</summary>
internal sealed class SourceOpener(DbDataSource source, bool owns) : IHostOpener
{
    public ValueTask<OpenedConnection> OpenAsync(
        Func<DbDataSource, DbDataSource> sourceOf, CancellationToken cancellationToken) =>
        OpenedConnection.FromAsync(sourceOf(source), cancellationToken);

    public OpenedConnection Open(Func<DbDataSource, DbDataSource> sourceOf, CancellationToken cancellationToken) =>
        OpenedConnection.From(sourceOf(source));

    public object? TypesOf(object? origin) => TypeReload.KeeperOf(source);

    public void Release()
    {
        if (owns)
        {
            source.Dispose();
        }
    }
}
