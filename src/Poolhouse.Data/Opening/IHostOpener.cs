using System.Data.Common;

namespace Poolhouse.Data.Opening;

/// <summary>Opens connections from the data source of a host, or from another one in its place.</summary>
internal interface IHostOpener : IConnectionOpener
{
    /// <summary>Opens a connection.</summary>
    /// <param name="sourceOf">Returns the data source to use in place of that of a host.</param>
    /// <param name="cancellationToken">Cancels the opening.</param>
    ValueTask<OpenedConnection> OpenAsync(Func<DbDataSource, DbDataSource> sourceOf, CancellationToken cancellationToken);

    /// <inheritdoc cref="OpenAsync(Func{DbDataSource, DbDataSource}, CancellationToken)"/>
    OpenedConnection Open(Func<DbDataSource, DbDataSource> sourceOf, CancellationToken cancellationToken);

    ValueTask<OpenedConnection> IConnectionOpener.OpenAsync(CancellationToken cancellationToken) =>
        OpenAsync(static host => host, cancellationToken);

    OpenedConnection IConnectionOpener.Open(CancellationToken cancellationToken) => Open(static host => host, cancellationToken);
}
