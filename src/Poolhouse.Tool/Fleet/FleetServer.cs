using System.Data.Common;

namespace Poolhouse.Tool.Fleet;

/// <summary>How instances that share a server are read from a kind of server.</summary>
internal abstract class FleetServer
{
    private static readonly FleetServer[] _all = [new PostgresFleet(), new MySqlFleet()];

    /// <summary>The names on the command line.</summary>
    public static IReadOnlyList<string> Providers { get; } = [.. _all.Select(static each => each.Provider)];

    public abstract string Provider { get; }

    /// <summary>What the server calls a user.</summary>
    public abstract string Word { get; }

    public static FleetServer Of(string provider) => _all.Single(each => each.Provider == provider);

    /// <summary>Creates a source of connections without a pool.</summary>
    /// <exception cref="ArgumentException">The connection string is invalid.</exception>
    public abstract DbDataSource Open(string connection);

    /// <exception cref="DbException">The server cannot be asked.</exception>
    public abstract Task<IReadOnlyList<FleetInstance>> ReadAsync(DbDataSource source, CancellationToken cancellation);

    /// <summary>The statement that limits the sessions of a user.</summary>
    public abstract string LimitOf(FleetInstance instance, int places);
}
