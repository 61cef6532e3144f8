using System.Data.Common;

namespace Poolhouse.Data.Opening;

/// <summary>Where a pool's physical connections come from. Thread safe.</summary>
internal interface IConnectionOpener
{
    ValueTask<(DbConnection Connection, object? Origin)> OpenAsync(CancellationToken cancellationToken);

    (DbConnection Connection, object? Origin) Open(CancellationToken cancellationToken);

    /// <summary>
    /// Set by the pool: called when the connections opened before should go, because the credential is another one.
    /// </summary>
    Action OnRotated
    {
        set
        {
        }
    }

    /// <summary>Set by the pool, also when it is reconfigured: the time that opening a connection may take.</summary>
    TimeSpan CreateTimeout
    {
        set
        {
        }
    }

    /// <summary>
    /// Whether a connection of this origin should be replaced although it works: a more preferred server is back. Cheap.
    /// </summary>
    bool IsOutdated(object origin) => false;

    /// <summary>
    /// What keeps the types of the database for connections of this origin; null if that serves only the one connection.
    /// </summary>
    object? TypesOf(object? origin) => this;

    /// <summary>Which of several hosts a connection of this origin is on; null where there is one.</summary>
    object? HostOf(object? origin) => null;

    /// <summary>A connection of this origin is gone.</summary>
    void OnClosed(object origin)
    {
    }

    /// <summary>A connection of this origin met a fatal error.</summary>
    void OnFatalError(object origin, Exception exception)
    {
    }

    /// <summary>The pool is disposed: what the opener owns goes. Connections that are open keep working.</summary>
    void Release()
    {
    }
}
