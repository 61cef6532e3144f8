using System.Data.Common;
using Poolhouse.Data.Metrics;
using Poolhouse.Data.Opening;
using Poolhouse.Data.Sessions;

namespace Poolhouse.Data;

/// <summary>A data source for any ADO.NET provider, whose connections come from one pool: open rents, close returns.</summary>
/// <remarks>
/// <para>
/// Its connections, commands, transactions, readers and batches wrap the provider's, so that ADO.NET code and Dapper work as before;
/// <c>Unwrap</c> gives the provider's own. They see what is executed: an opened connection that executed nothing is not reset,
/// and one whose command was cancelled or hit a fatal error is destroyed.
/// </para>
/// <para>
/// Thread safe. After disposal opening throws <see cref="ObjectDisposedException"/>; connections that are open keep working, and are destroyed when they close.
/// </para>
/// <code>
/// await using var source = PooledDataSource.Create(NpgsqlFactory.Instance, connectionString);
/// await using var connection = await source.OpenConnectionAsync(cancellationToken);
/// </code>
/// </remarks>
public sealed partial class PooledDataSource : DbDataSource, IPool
{
    private readonly ResourcePool<PhysicalConnection> _pool;
    private readonly ConnectionPolicy _care;
    private readonly string _connectionString;

    internal PooledDataSource(ConnectionSourceSettings supply)
    {
        _connectionString = ProviderStrings.WithoutPassword(supply.Sample.ConnectionString);
        Traits = new ProviderTraits(supply.Sample);
        IsPooled = supply.IsPooled;
        IsUnset = supply.IsUnset;
        Reporter = DbPoolReporter.For(supply.Options, supply.IsPooled);
        _care = new ConnectionPolicy(supply.Opener, supply.Options);
        _pool = new ResourcePool<PhysicalConnection>(new PhysicalConnectionPolicy(_care), supply.Options.Pool);
        _care.MaxSize = () => _pool.GetStatistics().MaxSize;
        _care.OnCondemned = silent => _pool.Expire(other => _care.IsOnSameHost(silent, other));
        supply.Opener.OnRotated = () => _pool.Clear(supply.Options.CredentialSpread);
    }

    /// <inheritdoc/>
    public string Name => _pool.Name;

    /// <summary>The connection string as the provider gets it, without the password. Those of a <see cref="PooledProviderFactory"/> keep the keywords of the pool.</summary>
    public override string ConnectionString => GivenString ?? _connectionString;

    /// <summary>False where the connection string asked for no pool: then each open makes a connection, and each close ends it.</summary>
    internal bool IsPooled { get; }

    /// <summary>Whether it stands for the connection string that a connection of a factory does not have yet.</summary>
    internal bool IsUnset { get; }

    /// <summary>The factory whose connections may change to another data source of it.</summary>
    internal PooledProviderFactory? Factory { get; init; }

    /// <summary>The connection string that the factory was given, as far as it may be shown: copied to another connection, it leads to a pool with the same settings.</summary>
    internal string? GivenString { get; init; }

    internal ConnectionPolicy Care => _care;

    internal ResourcePool<PhysicalConnection> Pool => _pool;

    internal DbPoolReporter Reporter { get; }

    /// <summary>A session was lost in use. Those opened before it are validated before the next use.</summary>
    // With several hosts that is all: the connections to the others are not concerned, and one lost session is no lost host. The validations
    // that follow, and attempts to connect, tell about the host.
    internal void OnFatalError(PhysicalConnection physical)
    {
        if (_care.HasHosts(physical))
        {
            physical.Lease.Taint();
            _pool.RequireValidation(other => _care.IsOnSameHost(physical, other));
        }
        else
        {
            _pool.Invalidate(physical.Lease, _care.Options.FatalErrorSpread);
        }
    }

    /// <inheritdoc cref="ResourcePool{T}.WarmUpAsync"/>
    public Task WarmUpAsync(int count, CancellationToken cancellationToken = default) => _pool.WarmUpAsync(count, cancellationToken);

    /// <inheritdoc cref="ResourcePool{T}.Resize"/>
    public void Resize(int maxSize) => _pool.Resize(maxSize);

    /// <inheritdoc cref="ResourcePool{T}.Clear(TimeSpan)"/>
    /// <remarks>
    /// Call it also after types were created in the database (an extension, an enum, a composite type), or after the database was created anew:
    /// with Npgsql the connections that are opened afterwards load its types again. <c>NpgsqlConnection.ReloadTypes</c> on one connection
    /// may not reach the others.
    /// </remarks>
    public void Clear(TimeSpan spread = default)
    {
        _care.ForgetTypes();
        _pool.Clear(spread);
    }

    /// <inheritdoc/>
    public int Trim() => _pool.Trim();

    /// <inheritdoc cref="ResourcePool{T}.Suspend"/>
    public void Suspend() => _pool.Suspend();

    /// <inheritdoc cref="ResourcePool{T}.Resume"/>
    public void Resume() => _pool.Resume();

    /// <inheritdoc cref="ResourcePool{T}.DrainAsync"/>
    public Task DrainAsync(CancellationToken cancellationToken = default) => _pool.DrainAsync(cancellationToken);

    /// <inheritdoc cref="IPool.GetStatistics"/>
    public ResourcePoolStatistics GetStatistics() => _pool.GetStatistics();

    PoolStatistics IPool.GetStatistics() => GetStatistics();

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            _pool.Dispose();
            _care.Opener.Release();
        }

        base.Dispose(disposing);
    }

    /// <inheritdoc/>
    protected override async ValueTask DisposeAsyncCore()
    {
        await _pool.DisposeAsync().ConfigureAwait(false);
        _care.Opener.Release();
        await base.DisposeAsyncCore().ConfigureAwait(false);
    }
}
