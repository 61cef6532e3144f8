namespace Poolhouse.Resources.Servers;

/// <summary>The server that was chosen for an attempt.</summary>
/// <param name="State">What the set knows about it.</param>
/// <param name="SeenFailures">Its failures then. If there are more when the attempt fails, what it met is no news.</param>
/// <param name="Rechecks">Whether the attempt is the one that tries the server again.</param>
/// <param name="IsLast">Whether no server is left to be tried after it.</param>
internal readonly record struct ServerChoice<TServer>(ServerState<TServer> State, long SeenFailures, bool Rechecks, bool IsLast)
    where TServer : notnull;
