using System.Data;
using System.Data.Common;
using System.Diagnostics;
using System.Transactions;
using Poolhouse.Data.Metrics;
using Poolhouse.Data.Opening;
using Poolhouse.Data.Sessions;

namespace Poolhouse.Data;

/// <summary>A pool that leases a provider's own open connections: for bulk copy, COPY, notifications, EF Core, and any code that
/// needs the real type.</summary>
/// <typeparam name="TConnection">The provider's connection type.</typeparam>
/// <remarks>
/// <para>
/// The session is always reset in the background after the lease ends (<see cref="DbPoolOptions.Reset"/>), because the pool does
/// not see what is executed. Code that catches an exception of a command and continues should call <see cref="Lease{T}.Taint"/>,
/// or pass the exception to <see cref="ObserveFailure"/>. Leave the connection open and do not dispose it: a closed connection is
/// destroyed. A connection whose event handlers have changed since it was opened is destroyed too, unless nothing is reset:
/// remove the handlers that you add. So is one whose database was changed, except with <see cref="SessionReset.MySql"/>, which
/// switches back, and with <see cref="SessionReset.None"/>.
/// </para>
/// <para>
/// The source must open real connections: turn the provider's own pooling off (<c>Pooling=false</c>), otherwise each connection
/// is held by two pools. Thread safe; a connection is for one caller at a time.
/// </para>
/// <code>
/// await using var lease = await pool.RentAsync(cancellationToken);
/// await using var importer = await lease.Value.BeginBinaryImportAsync("COPY …", cancellationToken);
/// </code>
/// </remarks>
[DebuggerDisplay("{ToString(),nq}")]
[DebuggerTypeProxy("Poolhouse.Kernel.Debugging.PoolDebugView, Poolhouse")]
public sealed class DbConnectionPool<TConnection> : IPool, IAsyncDisposable, IDisposable
    where TConnection : DbConnection
{
    private readonly ResourcePool<TConnection> _pool;
    private readonly ConnectionPolicy<TConnection> _policy;
    private readonly DbPoolReporter _reporter;
    private readonly Func<DbPoolOptions, DbPoolOptions> _change;

    /// <summary>Creates a pool of connections of a data source, which the caller still owns: dispose it after the pool.</summary>
    /// <param name="source">The provider's data source, with its own pooling turned off.</param>
    /// <param name="options">The settings; null for the defaults. <see cref="DbPoolOptions.Credentials"/> must be null.</param>
    /// <exception cref="ArgumentNullException"><paramref name="source"/> is null.</exception>
    /// <exception cref="ArgumentException">A setting is invalid, or the source pools its connections itself; the message names
    /// every problem.</exception>
    public DbConnectionPool(DbDataSource source, DbPoolOptions? options = null)
        : this(ConnectionSourceSettings.Of(source, options))
    {
    }

    /// <summary>
    /// Creates a pool for a provider and a connection string, whose keywords configure the pool as in
    /// <see cref="PooledDataSource.Create(DbProviderFactory, string, DbPoolOptions)"/>.
    /// </summary>
    /// <param name="factory">The provider, such as <c>NpgsqlFactory.Instance</c>.</param>
    /// <param name="connectionString">The provider's connection string.</param>
    /// <param name="options">The settings; null for the defaults.</param>
    /// <exception cref="ArgumentNullException">The factory or the connection string is null.</exception>
    /// <exception cref="ArgumentException">The connection string cannot be parsed, or a keyword or setting is invalid; the
    /// message names each.</exception>
    public DbConnectionPool(DbProviderFactory factory, string connectionString, DbPoolOptions? options = null)
        : this(ConnectionSourceSettings.Of(factory, connectionString, options, leasesProviders: true))
    {
    }

    internal DbConnectionPool(Func<TConnection> create, DbPoolOptions? options)
    {
        var frozen = ConnectionSourceSettings.FreezeWithoutString(options);
        var given = frozen.Copy();
        ConnectionSourceSettings.UseErrorsOf(frozen);
        frozen.Pool.Name ??= PoolNames.For(typeof(TConnection));
        _change = changed => ConnectionSourceSettings.Change(changed, given, frozen);
        (_policy, _pool, _reporter) = Build(new SourceOpener(new DelegatingSource(Create), owns: true), frozen);

        DbConnection Create() => create() ?? throw new InvalidOperationException(
            "The delegate that creates connections returned null. Return a new, closed connection each time.");
    }

    private DbConnectionPool(ConnectionSourceSettings settings)
    {
        _change = settings.Change;
        (_policy, _pool, _reporter) = Build(settings.Opener, settings.Options);
    }

    /// <inheritdoc/>
    public string Name => _pool.Name;

    /// <summary>Rents an open connection; waits at most <see cref="ResourcePoolOptions.RentTimeout"/>.</summary>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <returns>The lease. Await it once.</returns>
    /// <exception cref="DbPoolException">The wait timed out, too many callers are waiting, or connections cannot be
    /// opened.</exception>
    /// <exception cref="DbException">The provider's own exception, if the connection for this caller could not be
    /// opened.</exception>
    /// <exception cref="OperationCanceledException">The caller cancelled.</exception>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    public ValueTask<Lease<TConnection>> RentAsync(CancellationToken cancellationToken = default) =>
        DbRentTranslator.RentAsync(_pool, _reporter, timeout: null, cancellationToken);

    /// <inheritdoc cref="RentAsync(CancellationToken)"/>
    /// <summary>Rents an open connection; waits at most for the given timeout.</summary>
    /// <param name="timeout">Zero or more, at most 49 days, or <see cref="Timeout.InfiniteTimeSpan"/>.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    public ValueTask<Lease<TConnection>> RentAsync(TimeSpan timeout, CancellationToken cancellationToken = default) =>
        DbRentTranslator.RentAsync(_pool, _reporter, timeout, cancellationToken);

    /// <inheritdoc cref="RentAsync(CancellationToken)"/>
    /// <summary>Rents an open connection; blocks at most <see cref="ResourcePoolOptions.RentTimeout"/>.</summary>
    /// <returns>The lease.</returns>
    public Lease<TConnection> Rent(CancellationToken cancellationToken = default) =>
        DbRentTranslator.Rent(_pool, _reporter, timeout: null, cancellationToken);

    /// <inheritdoc cref="RentAsync(TimeSpan, CancellationToken)"/>
    /// <summary>Rents an open connection; blocks at most for the given timeout.</summary>
    /// <returns>The lease.</returns>
    public Lease<TConnection> Rent(TimeSpan timeout, CancellationToken cancellationToken = default) =>
        DbRentTranslator.Rent(_pool, _reporter, timeout, cancellationToken);

    /// <inheritdoc cref="ResourcePool{T}.TryRent"/>
    public bool TryRent(out Lease<TConnection> lease) => DbRentTranslator.TryRent(_pool, _reporter, out lease);

    /// <summary>
    /// Reports a fatal error of the server, which probably affects the other connections as well, as
    /// <see cref="ResourcePool{T}.Invalidate(Lease{T}, TimeSpan)"/> does. <see cref="ObserveFailure"/> decides by the provider's
    /// exception whether it is one.
    /// </summary>
    /// <param name="lease">A lease of this pool. Has no effect if it has ended.</param>
    /// <param name="spread">The time over which the other connections are replaced; zero (now) to 1 day.</param>
    /// <exception cref="ArgumentException">The lease belongs to another pool.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The time is out of range.</exception>
    public void Invalidate(Lease<TConnection> lease, TimeSpan spread = default) => _pool.Invalidate(lease, spread);

    /// <summary>
    /// Reports that a command failed. The lease is tainted if its session cannot be trusted any more; after a fatal error of the
    /// server, the connections opened before it are replaced within <see cref="DbPoolOptions.FatalErrorSpread"/>.
    /// </summary>
    /// <param name="lease">A lease of this pool. The call has no effect if the lease has ended.</param>
    /// <param name="exception">The exception that the provider threw.</param>
    /// <returns>The severity that <see cref="DbPoolOptions.Errors"/> assigned to the exception.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="exception"/> is null.</exception>
    /// <exception cref="ArgumentException">The lease belongs to another pool.</exception>
    public DbErrorSeverity ObserveFailure(Lease<TConnection> lease, Exception exception)
    {
        ArgumentNullException.ThrowIfNull(exception);
        var connection = ConnectionOf(lease);
        if (connection is not null && !_policy.Knows(connection))
        {
            throw new ArgumentException($"The lease does not belong to pool '{Name}'.", nameof(lease));
        }

        return _policy.ObserveFailure(lease, connection, exception);
    }

    /// <summary>
    /// Reports a statement that the holder of a lease is about to execute, so that the pool knows what it may leave behind.
    /// </summary>
    /// <param name="lease">An active lease of this pool.</param>
    /// <param name="statement">The text of the command; null if it is not known, or for a transaction with an isolation level of
    /// its own.</param>
    /// <exception cref="ObjectDisposedException">The lease has ended.</exception>
    /// <exception cref="InvalidOperationException">The connection is not one of this pool.</exception>
    /// <remarks>
    /// For libraries that see everything that is executed on the connection, as the package for Entity Framework Core does:
    /// after the first report, statements that are not reported are not noticed. After a lease with only queries and changes of
    /// rows, the reset then takes no request of its own with SqlClient, and no hand-over to another thread with Npgsql. Report
    /// null if a reader stays open. With other providers, reports change nothing.
    /// </remarks>
    public void ObserveStatement(Lease<TConnection> lease, string? statement) => _policy.Of(lease.Value).Observe(statement);

    /// <summary>
    /// Reports that a leased connection was enlisted in a transaction of System.Transactions. After the lease, the pool resets or
    /// closes the connection only when the transaction has completed and the provider has finished its own work for it, which
    /// continues after <see cref="Transaction.TransactionCompleted"/>.
    /// </summary>
    /// <param name="lease">An active lease of this pool.</param>
    /// <param name="transaction">The transaction. Until it completes, the connection is not leased again.</param>
    /// <exception cref="ArgumentNullException"><paramref name="transaction"/> is null.</exception>
    /// <exception cref="ObjectDisposedException">The lease has ended.</exception>
    /// <exception cref="InvalidOperationException">The connection is not one of this pool.</exception>
    /// <remarks>
    /// Call it after <see cref="DbConnection.EnlistTransaction"/>, and end the lease when the transaction has completed: a lease
    /// that ends before is reset only then, and its connection is destroyed if that exceeds
    /// <see cref="ResourcePoolOptions.ResetTimeout"/>. The package for Entity Framework Core does both.
    /// </remarks>
    public void ObserveEnlistment(Lease<TConnection> lease, Transaction transaction)
    {
        ArgumentNullException.ThrowIfNull(transaction);
        var enlistment = new TransactionEnlistment(transaction);
        _policy.ObserveEnlistment(lease.Value, enlistment);
        try
        {
            // Raised at once if it has completed already.
            transaction.TransactionCompleted += (_, _) => enlistment.Completion.TrySetResult();
        }
        catch (ObjectDisposedException)
        {
            enlistment.Completion.TrySetResult();
        }
    }

    /// <inheritdoc cref="ResourcePool{T}.WarmUpAsync"/>
    public Task WarmUpAsync(int count, CancellationToken cancellationToken = default) =>
        _pool.WarmUpAsync(count, cancellationToken);

    /// <inheritdoc cref="ResourcePool{T}.Resize"/>
    public void Resize(int maxSize) => _pool.Resize(maxSize);

    /// <inheritdoc cref="PooledDataSource.Reconfigure"/>
    public void Reconfigure(DbPoolOptions options) => _policy.Reconfigure(options, _change);

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

    /// <summary>
    /// Ends a lease whose connection was closed and belongs to the application from now on: the pool neither uses nor disposes
    /// the object again. For libraries that pass on leased connections, as the package for Entity Framework Core does.
    /// </summary>
    /// <param name="lease">An active lease of this pool.</param>
    /// <exception cref="ObjectDisposedException">The lease has ended.</exception>
    /// <exception cref="InvalidOperationException">The connection is not one of this pool.</exception>
    /// <remarks>
    /// A connection that is still open is closed by the pool, as by <see cref="Lease{T}.Discard"/>. It is counted under
    /// <see cref="DestroyReason.Discarded"/> in both cases.
    /// </remarks>
    public void Abandon(Lease<TConnection> lease)
    {
        var connection = lease.Value;
        _policy.Of(connection).IsAbandoned = connection.State is ConnectionState.Closed or ConnectionState.Broken;
        lease.Discard();
    }

    /// <inheritdoc cref="ResourcePool{T}.Dispose"/>
    public void Dispose()
    {
        _pool.Dispose();
        _policy.Release();
    }

    /// <inheritdoc cref="ResourcePool{T}.DisposeAsync"/>
    public async ValueTask DisposeAsync()
    {
        await _pool.DisposeAsync().ConfigureAwait(false);
        _policy.Release();
    }

    /// <summary>The connection of a lease; null if the lease has ended.</summary>
    private static TConnection? ConnectionOf(Lease<TConnection> lease)
    {
        try
        {
            return lease.IsActive ? lease.Value : null;
        }
        catch (ObjectDisposedException)
        {
            // Ended between the two, on another thread.
            return null;
        }
    }

    private static (ConnectionPolicy<TConnection> Policy, ResourcePool<TConnection> Pool, DbPoolReporter Reporter) Build(
        IConnectionOpener opener, DbPoolOptions options)
    {
        var reporter = DbPoolReporter.For(options);
        var policy = new ConnectionPolicy<TConnection>(opener, options);
        return (policy, policy.CreatePool(reporter), reporter);
    }
}
