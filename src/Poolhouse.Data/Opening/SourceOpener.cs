using System.Data.Common;

namespace Poolhouse.Data.Opening;

/// <summary>Opens connections of a data source.</summary>
internal sealed class SourceOpener(DbDataSource source, bool owns) : IConnectionOpener
{
    public ValueTask<OpenedConnection> OpenAsync(CancellationToken cancellationToken) =>
        OpenedConnection.FromAsync(source, cancellationToken);

    public OpenedConnection Open(CancellationToken cancellationToken) => OpenedConnection.From(source);

    public object? TypesOf(object? origin) => TypeReload.KeeperOf(source);

    public void Release()
    {
        if (owns)
        {
            source.Dispose();
        }
    }
}
