namespace Poolhouse.Servers.Internal;

/// <summary>The server that was chosen for an attempt.</summary>
/// <param name="State">The state of the server.</param>
/// <param name="SeenFailures">Its failure count at that time. If the count is higher when the attempt fails, the failure is
/// already known.</param>
/// <param name="Rechecks">Whether the attempt is the one that rechecks the server.</param>
/// <param name="IsLast">Whether no other server is left to try.</param>
internal readonly record struct ServerChoice<TServer>(ServerState<TServer> State, long SeenFailures, bool Rechecks, bool IsLast)
    where TServer : notnull
{
    /// <summary>How often the server had lost its role at that time.</summary>
    public int SeenRoleLosses { get; } = State.RoleLosses;

    /// <summary>Whether another server is available that has the required role, or may have it.</summary>
    public bool HasAlternative { get; init; }
}
