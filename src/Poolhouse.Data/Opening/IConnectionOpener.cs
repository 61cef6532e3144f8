namespace Poolhouse.Data.Opening;

/// <summary>The source of a pool's physical connections. Thread safe.</summary>
internal interface IConnectionOpener
{
    ValueTask<OpenedConnection> OpenAsync(CancellationToken cancellationToken);

    OpenedConnection Open(CancellationToken cancellationToken);

    /// <summary>
    /// Set by the pool: called when the connections for which <see cref="IsReplaced"/> is true should be replaced, because the
    /// credential has changed.
    /// </summary>
    Action OnRotated
    {
        set
        {
        }
    }

    /// <summary>Set by the pool before the first opening, and when it is reconfigured.</summary>
    DbPoolOptions Options
    {
        set
        {
        }
    }

    /// <summary>
    /// Whether a connection of this origin should be replaced now although it works: a more preferred server is back, or its
    /// credential was replaced long enough ago. Cheap.
    /// </summary>
    bool IsExpired(object? origin) => false;

    /// <summary>Whether a connection of this origin was opened with an old credential.</summary>
    bool IsReplaced(object? origin) => false;

    /// <summary>
    /// The object that keeps the database's types for connections of this origin; null if it serves only one connection.
    /// </summary>
    object? TypesOf(object? origin);

    /// <summary>The host of a connection of this origin; null if there is only one host.</summary>
    object? HostOf(object? origin) => null;

    /// <summary>The state of the hosts; empty if there is only one.</summary>
    IReadOnlyList<ServerStatistics<string>> GetHosts() => [];

    /// <summary>Called when a connection of this origin was closed.</summary>
    void OnClosed(object? origin)
    {
    }

    /// <summary>Called when a connection of this origin met a fatal error.</summary>
    void OnFatalError(object? origin, Exception exception)
    {
    }

    /// <summary>Called when an error on a connection of this origin showed that its server is no longer a primary.</summary>
    void OnRoleLost(object? origin)
    {
    }

    /// <summary>Called when the pool is disposed: disposes what the opener owns. Open connections keep working.</summary>
    void Release()
    {
    }
}
