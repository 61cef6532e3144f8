namespace Poolhouse.Servers;

/// <summary>How a <see cref="ServerSet{TServer}"/> selects the server for a new item.</summary>
/// <remarks>Servers that failed are tried last until their re-check is due, whatever the selection.</remarks>
public enum ServerSelection
{
    /// <summary>
    /// The first working server of the list: one server is in use, the others are on standby. Only this selection fails back.
    /// </summary>
    Ordered,

    /// <summary>The servers in turn, starting at a random one.</summary>
    RoundRobin,

    /// <summary>A random server, with equal probability.</summary>
    Random,

    /// <summary>The server with the fewest items of this set, alive or being created; among equals in turn.</summary>
    LeastOutstanding,
}
