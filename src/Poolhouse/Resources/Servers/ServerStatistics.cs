namespace Poolhouse;

/// <summary>What a <see cref="ServerSet{TServer}"/> knows about one server at one moment.</summary>
/// <typeparam name="TServer">The type that names a server.</typeparam>
/// <remarks>An immutable snapshot. Its text leaves the server out: that may be a connection string.</remarks>
public sealed record ServerStatistics<TServer>
    where TServer : notnull
{
    /// <summary>The server.</summary>
    public required TServer Server { get; init; }

    /// <summary>What the set thinks of it.</summary>
    public ServerHealth Health { get; init; }

    /// <summary>Items alive on it.</summary>
    public int Items { get; init; }

    /// <summary>Creations on it that are under way and in time.</summary>
    public int Creating { get; init; }

    /// <summary>Items created on it since it was added.</summary>
    public long Created { get; init; }

    /// <summary>
    /// Failures since it was added. What fails together counts once: only what began after the last failure is another one.
    /// </summary>
    public long Failures { get; init; }

    /// <summary>Failures since its last success.</summary>
    public int FailuresInRow { get; init; }

    /// <summary>The last failure; null while the server is up, and where a report came without an exception.</summary>
    public Exception? LastFailure { get; init; }

    /// <summary>The time until new items may try it again; zero unless it is avoided.</summary>
    public TimeSpan RecheckIn { get; init; }

    /// <summary>The counters as text, without the server and its failure.</summary>
    /// <returns>A line.</returns>
    public override string ToString() =>
        $"{Health}: {Items} items, {Creating} creating, {Created} created, {Failures} failures, {FailuresInRow} in a row";
}
