using System.Runtime.CompilerServices;

namespace Poolhouse.Ldap.Internal;

/// <summary>The requests that were begun on a connection, by their handles.</summary>
// One table for all connections, like the base class's table of pending requests, which keeps the handle of a request that nobody
// ends. It does not keep the connection.
internal sealed class BegunRequests(PooledLdapConnection connection)
{
    private static readonly ConditionalWeakTable<IAsyncResult, WeakReference<PooledLdapConnection>> _begunOn = [];

    private readonly WeakReference<PooledLdapConnection> _connection = new(connection);

    /// <summary>The connection on which a request was begun; null if that is not known.</summary>
    public static PooledLdapConnection? Find(IAsyncResult? handle) =>
        handle is not null && _begunOn.TryGetValue(handle, out var begunOn) && begunOn.TryGetTarget(out var connection)
            ? connection
            : null;

    public void Add(IAsyncResult handle) => _begunOn.TryAdd(handle, _connection);

    /// <summary>Removes a request of this connection, once, even if two threads end it at the same moment.</summary>
    public bool TryRemove(IAsyncResult handle) =>
        _begunOn.TryGetValue(handle, out var begunOn) && ReferenceEquals(begunOn, _connection) && _begunOn.Remove(handle);

    /// <summary>Adds that the request is recorded before the callback, which may run before the request has been begun.</summary>
    public AsyncCallback Recorded(AsyncCallback callback) => callback is null
        ? null!
        : handle =>
        {
            Add(handle);
            callback(handle);
        };
}
