namespace Poolhouse.Data;

/// <summary>
/// What an exception means for the connection that it came from and for connections opened at the same time or earlier.
/// </summary>
public enum DbErrorSeverity
{
    /// <summary>The statement failed; the session is intact. After a full reset the connection is reused.</summary>
    Statement,

    /// <summary>
    /// The session cannot be trusted any more: cancelled, timed out, or ended by the server. The connection is destroyed.
    /// </summary>
    Connection,

    /// <summary>
    /// The server is gone or restarting, which affects every connection opened before. All of them are replaced, spread over
    /// time.
    /// </summary>
    Server,

    /// <summary>
    /// The server refuses writes, so it is no longer a primary. For a pool that requires one
    /// (<see cref="DbPoolOptions.RequiredRole"/>), its connections to that host are destroyed, and the next connection that is
    /// opened asks for the role. For other pools the same as <see cref="Statement"/>.
    /// </summary>
    Role,
}
