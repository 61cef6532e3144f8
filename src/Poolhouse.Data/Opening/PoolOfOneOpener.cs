using System.Data.Common;

namespace Poolhouse.Data.Opening;

/// <summary>
/// Opens each connection from a separate provider pool that holds only this one: closing and opening it again resets it.
/// </summary>
// Invariants
//   a connection's data source is its origin, and is disposed with it: then the provider closes it permanently
internal sealed class PoolOfOneOpener(DbProviderFactory factory, string connectionString, DbDataSource sample) : IConnectionOpener
{
    public async ValueTask<(DbConnection Connection, object? Origin)> OpenAsync(CancellationToken cancellationToken)
    {
        var source = factory.CreateDataSource(connectionString);
        try
        {
            return (await source.OpenConnectionAsync(cancellationToken).ConfigureAwait(false), source);
        }
        catch
        {
            await source.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    public (DbConnection Connection, object? Origin) Open(CancellationToken cancellationToken)
    {
        var source = factory.CreateDataSource(connectionString);
        try
        {
            return (source.OpenConnection(), source);
        }
        catch
        {
            source.Dispose();
            throw;
        }
    }

    public object? TypesOf(object? origin) => null;

    // A connection that is returned to a disposed pool is closed at once.
    public void OnClosed(object origin) => ((DbDataSource)origin).Dispose();

    public void Release() => sample.Dispose();
}
