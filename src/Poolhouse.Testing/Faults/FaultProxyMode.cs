namespace Poolhouse.Testing;

/// <summary>What a <see cref="FaultProxy"/> does with new connections. Those that exist are not touched.</summary>
public enum FaultProxyMode
{
    /// <summary>They are accepted and passed on.</summary>
    Open,

    /// <summary>
    /// Nobody answers: the system accepts them, and the bytes they send, until its backlog is full; the server never hears of them. They are
    /// served when the proxy opens again.
    /// </summary>
    Deaf,

    /// <summary>They are refused, as if no program had the port.</summary>
    Down,
}
