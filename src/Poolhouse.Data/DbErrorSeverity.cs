namespace Poolhouse.Data;

/// <summary>What an exception says about the connection it came from and about its contemporaries.</summary>
public enum DbErrorSeverity
{
    /// <summary>The statement failed; the session is intact. After a full reset the connection is reused.</summary>
    Statement,

    /// <summary>The session cannot be trusted any more: cancelled, timed out, or ended by the server. The connection is destroyed.</summary>
    Connection,

    /// <summary>The server went away or restarts: every connection opened before will meet the same. All of them are replaced, spread over time.</summary>
    Server,
}
