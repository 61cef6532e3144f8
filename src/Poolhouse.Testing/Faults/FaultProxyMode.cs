namespace Poolhouse.Testing;

/// <summary>How a <see cref="FaultProxy"/> handles new connections. Existing connections are not affected.</summary>
public enum FaultProxyMode
{
    /// <summary>New connections are accepted and forwarded.</summary>
    Open,

    /// <summary>
    /// New connections get no answer: the operating system accepts them, and the bytes they send, until its backlog is full; they
    /// do not reach the server. They are served once the proxy is open again.
    /// </summary>
    Deaf,

    /// <summary>New connections are refused, as if no program listened on the port.</summary>
    Down,
}
