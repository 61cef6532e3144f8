using System.Data.Common;
using System.Diagnostics;
using Poolhouse.Data.Metrics;
using Poolhouse.Data.Opening;
using Poolhouse.Data.Providers;
using Poolhouse.Data.Sessions;
using Poolhouse.Data.Wrappers;

namespace Poolhouse.Data;

/// <summary>
/// A data source for any ADO.NET provider, with one connection pool: opening a connection rents, closing it returns.
/// </summary>
/// <remarks>
/// <para>
/// Its connections, commands, transactions, readers and batches wrap the provider's, so that ADO.NET code and Dapper work as
/// before; <c>Unwrap</c> returns the provider's own objects. The wrappers track what is executed: a connection that executed
/// nothing is not reset, and a connection whose command was cancelled or hit a fatal error is destroyed.
/// </para>
/// <para>
/// Thread safe. After disposal, opening a connection throws <see cref="ObjectDisposedException"/>; open connections keep working,
/// and are destroyed when they are closed.
/// </para>
/// <code>
/// await using var source = PooledDataSource.Create(NpgsqlFactory.Instance, connectionString);
/// await using var connection = await source.OpenConnectionAsync(cancellationToken);
/// </code>
/// </remarks>
[DebuggerDisplay("{ToString(),nq}")]
[DebuggerTypeProxy("Poolhouse.Kernel.Debugging.PoolDebugView, Poolhouse")]
public sealed partial class PooledDataSource : DbDataSource, IPool
{
    private readonly ResourcePool<PhysicalConnection> _pool;
    private readonly ConnectionPolicy<PhysicalConnection> _policy;
    private readonly ConnectionSourceSettings _settings;
    private readonly string _connectionString;

    internal PooledDataSource(ConnectionSourceSettings settings)
    {
        _settings = settings;
        var profile = settings.Options.Profile ?? DbProviderProfile.Of(settings.Sample);
        _connectionString = ProviderStrings.WithoutPassword(settings.Sample.ConnectionString, profile);
        Traits = new ProviderTraits(settings.Sample, profile);
        IsPooled = settings.IsPooled;
        IsUnset = settings.IsUnset;
        Reporter = DbPoolReporter.For(settings.Options, settings.IsPooled);
        _policy = new ConnectionPolicy<PhysicalConnection>(settings.Opener, settings.Options);
        _pool = _policy.CreatePool(Reporter);
    }

    /// <inheritdoc/>
    public string Name => _pool.Name;

    /// <summary>
    /// The connection string that the provider gets, without the password unless it contains <c>Persist Security Info=true</c>.
    /// For data sources of a <see cref="PooledProviderFactory"/> it keeps the keywords of the pool.
    /// </summary>
    public override string ConnectionString => GivenString ?? _connectionString;

    /// <summary>
    /// False if the connection string turned pooling off: then each open creates a connection, and each close destroys it.
    /// </summary>
    internal bool IsPooled { get; }

    /// <summary>Whether it is the placeholder for a connection of a factory that has no connection string yet.</summary>
    internal bool IsUnset { get; }

    /// <summary>The factory whose connections may switch to another of its data sources.</summary>
    internal PooledProviderFactory? Factory { get; init; }

    /// <summary>
    /// The connection string that the factory was given, without its secrets: copied to another connection, it selects a pool
    /// with the same settings.
    /// </summary>
    internal string? GivenString { get; init; }

    internal ConnectionPolicy<PhysicalConnection> Policy => _policy;

    internal ResourcePool<PhysicalConnection> Pool => _pool;

    internal DbPoolReporter Reporter { get; }

    internal ProviderTraits Traits { get; }

    internal EnlistedConnections Enlisted { get; } = new();

    internal bool Enlists => _policy.Options.Enlist;

    /// <inheritdoc cref="ResourcePool{T}.WarmUpAsync"/>
    public Task WarmUpAsync(int count, CancellationToken cancellationToken = default) =>
        _pool.WarmUpAsync(count, cancellationToken);

    /// <inheritdoc cref="ResourcePool{T}.Resize"/>
    public void Resize(int maxSize) => _pool.Resize(maxSize);

    /// <summary>
    /// Applies new options, either all or none. Operations in progress keep the deadlines with which they started.
    /// </summary>
    /// <param name="options">
    /// All settings. <see cref="DbPoolOptions.Reset"/>, <see cref="DbPoolOptions.Errors"/>,
    /// <see cref="DbPoolOptions.Credentials"/>, <see cref="DbPoolOptions.Enlist"/>, and the settings of the pool that
    /// <see cref="ResourcePool{T}.Reconfigure"/> cannot change, must be unchanged. Keywords of the connection string override the
    /// options, as at creation; only <see cref="ResourcePoolOptions.RentTimeout"/> must not be set to another value than Timeout.
    /// </param>
    /// <exception cref="ArgumentNullException"><paramref name="options"/> is null.</exception>
    /// <exception cref="ArgumentException">
    /// Settings are invalid or cannot be changed; the message names each of them. Nothing was changed.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The data source is drained or disposed.</exception>
    public void Reconfigure(DbPoolOptions options) => _policy.Reconfigure(options, _settings.Change);

    /// <inheritdoc cref="ResourcePool{T}.Clear(TimeSpan)"/>
    /// <remarks>
    /// Call it also after types were created in the database (an extension, an enum, a composite type), or after the database was
    /// recreated: with Npgsql, connections that are opened afterwards load its types again. <c>NpgsqlConnection.ReloadTypes</c>
    /// on one connection may not affect the others.
    /// </remarks>
    public void Clear(TimeSpan spread = default) => _policy.Clear(spread);

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

    /// <summary>Describes the pool in one line, for debuggers and logs.</summary>
    /// <returns>Its name and current numbers. The format may change.</returns>
    public override string ToString() => _pool.ToString();

    /// <inheritdoc/>
    public IReadOnlyList<LeaseSnapshot> GetLeases(int max) => _pool.GetLeases(max);

    /// <summary>Creates a closed connection of this data source; opening it rents a connection from the pool.</summary>
    /// <returns>The connection.</returns>
    protected override DbConnection CreateDbConnection() => Traits.CreateConnection(this);

    /// <inheritdoc/>
    protected override DbConnection OpenDbConnection()
    {
        var connection = Traits.CreateConnection(this);
        connection.Open();
        return connection;
    }

    /// <inheritdoc/>
    protected override ValueTask<DbConnection> OpenDbConnectionAsync(CancellationToken cancellationToken = default) =>
        Traits.CreateConnection(this).OpenNewAsync(cancellationToken);

    // The base class's implementation for batches cannot create its commands.
    /// <inheritdoc/>
    protected override DbBatch CreateDbBatch() => new DataSourceBatch(Traits.CreateConnection(this));

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            _pool.Dispose();
            _policy.Release();
        }

        base.Dispose(disposing);
    }

    /// <inheritdoc/>
    protected override async ValueTask DisposeAsyncCore()
    {
        await _pool.DisposeAsync().ConfigureAwait(false);
        _policy.Release();
        await base.DisposeAsyncCore().ConfigureAwait(false);
    }
}
