namespace Poolhouse.Servers.Internal;

/// <summary>
/// The servers of a set at one point in time. Immutable. It calls the servers' Equals, so it is created and searched outside the
/// set's gate.
/// </summary>
internal sealed class ServerList<TServer>
    where TServer : notnull
{
    private readonly Dictionary<TServer, ServerState<TServer>> _known = [];

    /// <summary>
    /// Takes over the states of servers that stay, and of removed ones that still have items or attempts: they may be added
    /// again.
    /// </summary>
    /// <exception cref="ArgumentException">The list is empty, contains a server twice, or contains null.</exception>
    public ServerList(IReadOnlyList<TServer> servers, ServerList<TServer>? old, long now)
    {
        if (servers.Count == 0)
        {
            throw new ArgumentException("The list of servers is empty. Specify at least one server.", nameof(servers));
        }

        foreach (var server in servers)
        {
            if (server is null || !_known.TryAdd(server, old?.Find(server) ?? new ServerState<TServer>(server, now)))
            {
                throw new ArgumentException(
                    "The list of servers contains null or a duplicate. List each server once.", nameof(servers));
            }
        }

        Listed = [.. _known.Values];
        foreach (var state in old?.All.Where(state => state.Position != ServerState<TServer>.Unlisted || state.Load > 0) ?? [])
        {
            _known.TryAdd(state.Server, state);
        }

        All = [.. _known.Values];
    }

    /// <summary>The listed servers, in order of preference.</summary>
    public ServerState<TServer>[] Listed { get; }

    /// <summary>The listed servers, followed by the removed ones.</summary>
    public ServerState<TServer>[] All { get; }

    public ServerState<TServer>? Find(TServer server) => _known.GetValueOrDefault(server);
}
