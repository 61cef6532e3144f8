using System.Data.Common;
using Poolhouse.Data.Opening;

namespace Poolhouse.Data;

/// <summary>
/// Gives each connection of a pool a data source of the provider of its own, so that the provider's own pool resets the session
/// together with the next command: for data sources that an application builds, and for several hosts.
/// </summary>
/// <remarks>
/// <para>
/// Pass it to a <see cref="PooledDataSource"/> or a <see cref="DbConnectionPool{TConnection}"/> in place of the provider's data
/// source. <see cref="SessionReset.Provider"/> is then allowed, and is the default with Npgsql: it costs no round trip.
/// </para>
/// <para>
/// Unlike a data source that is passed to a pool directly, those of the delegate keep the provider's pooling turned on, and allow
/// several connections, of which one is used. Thread safe. Disposal does not affect the connections of pools.
/// </para>
/// </remarks>
public sealed class PerConnectionDataSource : DbDataSource
{
    private readonly Func<DbDataSource> _create;
    private readonly DbDataSource? _sample;

    /// <summary>Creates the data source. The delegate is called at once, and again for each connection that is opened.</summary>
    /// <param name="create">
    /// Builds a new data source of the provider on each call, always with the same settings. Called from several threads at once.
    /// </param>
    /// <exception cref="ArgumentNullException"><paramref name="create"/> is null.</exception>
    /// <exception cref="InvalidOperationException"><paramref name="create"/> returned null.</exception>
    /// <remarks>
    /// Not for providers whose data sources share a pool, such as SqlClient's: pools reject these. Create the pool from a factory
    /// and a connection string instead, with <see cref="DbCredential.Configure"/> for what only the connection can hold.
    /// </remarks>
    public PerConnectionDataSource(Func<DbDataSource> create)
    {
        ArgumentNullException.ThrowIfNull(create);
        _create = create;
        _sample = CreateSource();
        IsBuiltByUser = true;
    }

    internal PerConnectionDataSource(Func<DbDataSource> create, DbDataSource? sample) => (_create, _sample) = (create, sample);

    /// <summary>The connection string of the provider's data sources, as far as the provider shows it.</summary>
    public override string ConnectionString => _sample?.ConnectionString ?? string.Empty;

    /// <summary>One of the data sources, from which no connection is opened.</summary>
    internal DbDataSource Sample => _sample ?? this;

    /// <summary>Whether its settings are not known to be right for a pool.</summary>
    internal bool IsBuiltByUser { get; }

    /// <summary>Opens a connection from a data source of its own, with which its session is closed.</summary>
    internal async ValueTask<OpenedConnection> OpenOwnAsync(CancellationToken cancellationToken)
    {
        var source = CreateSource();
        try
        {
            var connection = await source.OpenConnectionAsync(cancellationToken).ConfigureAwait(false);
            return new OpenedConnection(connection, OwnSource: source) { IsBuiltByUser = IsBuiltByUser };
        }
        catch
        {
            await source.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <inheritdoc cref="OpenOwnAsync"/>
    internal OpenedConnection OpenOwn()
    {
        var source = CreateSource();
        try
        {
            return new OpenedConnection(source.OpenConnection(), OwnSource: source) { IsBuiltByUser = IsBuiltByUser };
        }
        catch
        {
            source.Dispose();
            throw;
        }
    }

    /// <summary>Creates a closed connection of the provider.</summary>
    /// <returns>The connection.</returns>
    protected override DbConnection CreateDbConnection() => (_sample ?? CreateSource()).CreateConnection();

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            _sample?.Dispose();
        }

        base.Dispose(disposing);
    }

    private DbDataSource CreateSource() =>
        _create() ?? throw new InvalidOperationException(
            "The delegate that creates data sources returned null. Return a new data source each time.");
}
