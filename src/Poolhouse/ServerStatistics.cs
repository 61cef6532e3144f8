namespace Poolhouse;

/// <summary>The state and the counters of one server of a server set at one moment.</summary>
/// <typeparam name="TServer">The type that identifies a server.</typeparam>
/// <remarks>An immutable snapshot. Its text representation omits the server, which may be a connection string.</remarks>
public sealed class ServerStatistics<TServer>
    where TServer : notnull
{
    /// <summary>The server.</summary>
    public required TServer Server { get; init; }

    /// <summary>The health of the server.</summary>
    public ServerHealth Health { get; init; }

    /// <summary>The role of the server, if a role was required of it since it last failed.</summary>
    public ServerRole Role { get; init; }

    /// <summary>Items alive on the server.</summary>
    public int Items { get; init; }

    /// <summary>Creations on the server that are in progress and within their time limit.</summary>
    public int Creating { get; init; }

    /// <summary>Items created on the server since it was added.</summary>
    public long Created { get; init; }

    /// <summary>
    /// Failures since the server was added. Operations that fail together count once: only one that began after the last failure
    /// counts again.
    /// </summary>
    public long Failures { get; init; }

    /// <summary>Failures since the last success.</summary>
    public int FailuresInRow { get; init; }

    /// <summary>The time since the first failure after the last success; zero while the server is up.</summary>
    public TimeSpan DownFor { get; init; }

    /// <summary>The last failure; null while the server is up, or if the failure was reported without an exception.</summary>
    public Exception? LastFailure { get; init; }

    /// <summary>The time until new items may be created on the server again; zero unless it is avoided.</summary>
    public TimeSpan RecheckIn { get; init; }

    /// <summary>
    /// The server set, or whatever else counted; null if unknown. A keyed pool adds up what its keys report about a server, each
    /// source once.
    /// </summary>
    public object? Source { get; init; }

    /// <summary>Returns the counters as text, without the server and its failure.</summary>
    /// <returns>One line of text.</returns>
    public override string ToString() =>
        $"{Health}: {Items} items, {Creating} creating, {Created} created, {Failures} failures, {FailuresInRow} in a row";
}
