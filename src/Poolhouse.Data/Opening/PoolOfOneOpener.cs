using System.Data.Common;

namespace Poolhouse.Data.Opening;

/// <summary>
/// Opens each connection out of a provider pool of its own, which holds that one: closed into it and opened again, it is reset.
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

    // A connection that comes back to a pool that was disposed is closed at once.
    public void OnClosed(object origin) => ((DbDataSource)origin).Dispose();

    public void Release() => sample.Dispose();
}
