using System.Data.Common;
using System.Runtime.CompilerServices;

namespace Poolhouse.Data.Opening;

/// <summary>
/// Makes a provider load the types of the database again, once for each source of connections, after a request.
/// </summary>
// Npgsql keeps the types in its data source, which the first connection loads. Types that are created later are unknown to it,
// and after a database was deleted and created it uses numbers of types that are gone.
// Invariants
//   a connection that is opened after a request has the types as they were then, or later ones: the version of a source is
//   written after its reload
// Locks: none. Two connections that are opened at once may both load.
internal sealed class TypeReload
{
    private readonly ConditionalWeakTable<object, StrongBox<int>> _loaded = [];
    private int _requested;

    /// <summary>
    /// The object that keeps the types for connections of a data source; a new one if each connection has to load them.
    /// </summary>
    public static object KeeperOf(DbDataSource source) => DbProviderProfile.For(source.GetType()).KeeperOfTypes(source);

    public void Request() => Interlocked.Increment(ref _requested);

    /// <summary>Loads the types, if the source of the connection has not loaded them since the last request.</summary>
    /// <param name="connection">The provider's open connection.</param>
    /// <param name="source">The object that keeps the types for it; null if it serves only this connection.</param>
    /// <param name="cancellationToken">Cancels the reload.</param>
    public async ValueTask ReloadIfRequestedAsync(DbConnection connection, object? source, CancellationToken cancellationToken)
    {
        var requested = Volatile.Read(ref _requested);
        if (requested == 0 || source is null)
        {
            return;
        }

        var loaded = _loaded.GetValue(source, static _ => new StrongBox<int>());
        if (Volatile.Read(ref loaded.Value) != requested)
        {
            await DbProviderProfile.For(connection.GetType()).ReloadTypesAsync(connection, cancellationToken)
                .ConfigureAwait(false);
            Volatile.Write(ref loaded.Value, requested);
        }
    }
}
