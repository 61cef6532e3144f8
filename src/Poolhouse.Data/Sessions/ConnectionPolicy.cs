using System.Data;
using System.Data.Common;
using System.Runtime.CompilerServices;
using Poolhouse.Data.Metrics;
using Poolhouse.Data.Opening;

namespace Poolhouse.Data.Sessions;

/// <summary>
/// The policy of a pool of connections: opens, checks, resets and closes them. The only policy of this package.
/// </summary>
/// <typeparam name="T">
/// <see cref="PhysicalConnection"/>, whose every use is tracked by wrappers, or the provider's own type of connection, whose use
/// is not tracked: it is reset after each lease.
/// </typeparam>
// The pool's data about a provider's own connection is looked up by the connection. The table is read in the background, and
// when a lease ends only if a reset may be due: otherwise the state of the connection is sufficient.
// Invariants
//   an item is in _known from its creation on, if it is not a PhysicalConnection itself
//   every hook is called, also without a reset: a connection that users have enlisted is not idle before the provider has left
//   its transaction
// Locks: _changing around a change of the settings, so that pool, opener and policy have the same
#pragma warning disable CA1001 // The pool belongs to the data source or to the pool of leases.
internal sealed class ConnectionPolicy<T> : ResourcePolicy<T>
#pragma warning restore CA1001
    where T : class
{
    private readonly IConnectionOpener _opener;
    private volatile DbPoolOptions _options;
    private readonly ConnectionCloser _closer;
    private readonly SessionCleaner _cleaner;
    private readonly OpenFailures _failures;
    private readonly TypeReload _types = new();
    private readonly ConditionalWeakTable<T, PhysicalConnection> _known = [];
    private readonly Lock _changing = new();

    // Whether the end of a lease may need work: there is a reset, or users enlist connections that the pool does not track.
    private volatile bool _mayNeedReset;
    private ResourcePool<T>? _pool;
    private DbPoolReporter? _reporter;

    public ConnectionPolicy(IConnectionOpener opener, DbPoolOptions options)
    {
        (_opener, _options) = (opener, options);
        opener.Options = options;
        _mayNeedReset = IsTracked || options.Reset is not { IsNone: true };
        _closer = new ConnectionCloser(opener, options, () => _pool?.GetStatistics().MaxSize ?? options.Pool.MaxSize);
        _cleaner = new SessionCleaner(_closer, options.Pool.TimeProvider);
        _failures = new OpenFailures(options.Errors);
    }

    public DbPoolOptions Options => _options;

    /// <summary>Changes the settings; the reset, the classifier, credentials and enlistment do not change.</summary>
    /// <param name="options">The settings that the user gave.</param>
    /// <param name="change">Validates and completes them.</param>
    public void Reconfigure(DbPoolOptions options, Func<DbPoolOptions, DbPoolOptions> change)
    {
        lock (_changing)
        {
            var changed = change(options);
            _pool!.Reconfigure(changed.Pool);
            _opener.Options = changed;
            _options = changed;
            _reporter!.MinIdle = changed.Pool.MinIdle;
        }
    }

    private static bool IsTracked => typeof(T) == typeof(PhysicalConnection);

    /// <summary>Creates the pool that this policy is for.</summary>
    // Its first connections may be opened before the constructor has returned.
    public ResourcePool<T> CreatePool(DbPoolReporter reporter)
    {
        _reporter = reporter;
        reporter.CountClosing = () => _closer.Closing;
        _pool = new ResourcePool<T>(this, _options.Pool);
        _opener.OnRotated = () => _pool.Clear(item => _opener.IsReplaced(Of(item).Origin), _options.CredentialSpread);
        return _pool;
    }

    protected override IReadOnlyList<ServerStatistics<string>> GetServers() => _opener.GetHosts();

    /// <summary>Called when the pool is disposed: disposes what the opener owns.</summary>
    public void Release() => _opener.Release();

    /// <summary>Replaces all connections; the next ones load the types of the database again.</summary>
    public void Clear(TimeSpan spread)
    {
        _types.Request();
        _pool!.Clear(spread);
    }

    /// <summary>The pool's data about an item.</summary>
    public PhysicalConnection Of(T item) =>
        item as PhysicalConnection
        ?? (_known.TryGetValue(item, out var known)
            ? known
            : throw new InvalidOperationException("The connection is not one of this pool."));

    /// <summary>Whether a provider's own connection was opened by this pool.</summary>
    public bool Knows(T item) => _known.TryGetValue(item, out _);

    /// <summary>
    /// Handles an exception of the provider: the lease is tainted, and sessions that may be affected are validated or replaced.
    /// </summary>
    /// <param name="lease">The lease in which it was thrown.</param>
    /// <param name="item">The item of the lease; null if the lease has ended.</param>
    /// <param name="failure">The exception.</param>
    // With several hosts, connections to the others are not affected, and one lost session does not mean a lost host. The
    // validations that follow, and attempts to connect, show the state of the host.
    public DbErrorSeverity ObserveFailure(Lease<T> lease, T? item, Exception failure)
    {
        var severity = Classify(failure);
        if (item is not null)
        {
            Of(item).Touch();
        }

        if (severity == DbErrorSeverity.Connection)
        {
            lease.Taint();
        }
        else if (severity == DbErrorSeverity.Server)
        {
            if (item is not null && HostOf(item) is { } host)
            {
                lease.Taint();
                _pool!.Invalidate(other => HostOf(other) == host);
            }
            else
            {
                _pool!.Invalidate(lease, _options.FatalErrorSpread);
            }
        }
        else if (severity == DbErrorSeverity.Role && item is not null && _options.RequiredRole == RequiredRole.Primary)
        {
            LoseRole(lease, Of(item));
        }

        return severity;
    }

    // Not if the server still reports that it is a primary: then the transaction was read-only because its user wanted that.
    private void LoseRole(Lease<T> lease, PhysicalConnection connection)
    {
        if (connection.IsReportedAsPrimary)
        {
            return;
        }

        lease.Taint();
        if (_opener.HostOf(connection.Origin) is not null)
        {
            _opener.OnRoleLost(connection.Origin);
            _pool!.Clear(other => HasExpired(Of(other)));
        }
        else
        {
            _pool!.Invalidate(lease);
        }
    }

    // The failure must reach its caller, and an exception of a classifier says nothing about the connection.
    private DbErrorSeverity Classify(Exception failure)
    {
        try
        {
            return _options.Errors.Classify(failure);
        }
#pragma warning disable CA1031 // See above.
        catch (Exception)
#pragma warning restore CA1031
        {
            return DbErrorSeverity.Connection;
        }
    }

    public override async ValueTask<T> CreateAsync(CancellationToken cancellationToken)
    {
        _closer.ThrowIfTooManyAreOpen();
        var opened = await _opener.OpenAsync(cancellationToken).ConfigureAwait(false);
        return await AdoptAsync(opened, cancellationToken).ConfigureAwait(false);
    }

    public override T Create(CancellationToken cancellationToken)
    {
        _closer.ThrowIfTooManyAreOpen();
        var opened = _opener.Open(cancellationToken);

#pragma warning disable VSTHRD002, CA2012 // On a thread of the pool's own, created for this one creation: waiting here blocks no other.
        return AdoptAsync(opened, cancellationToken).AsTask().GetAwaiter().GetResult();
#pragma warning restore VSTHRD002, CA2012
    }

    public override bool IsPermanent(Exception createFailure) => _failures.ArePermanent(createFailure);

    protected override bool LacksRoom(Exception createFailure) => _failures.LackRoom(createFailure);

    /// <summary>Whether a connection is known to be broken, or should be replaced by one on a better server.</summary>
    public override bool IsBroken(T item) => item is PhysicalConnection physical
        ? physical.IsBroken || HasExpired(physical)
        : ((DbConnection)(object)item).State is ConnectionState.Closed or ConnectionState.Broken
            || (_options.Credentials is not null && HasExpired(Of(item)));

    /// <summary>
    /// Whether a connection that was rejected works: it is deliberately not pooled, or is replaced by one on a better server.
    /// </summary>
    public override bool IsExpired(T item)
    {
        var connection = Of(item);
        return connection.IsSingleUse || (!connection.IsBroken && HasExpired(connection));
    }

    // Called on the stack of the caller that returns. If the reset fails, the connection is closed, and not reused.
    public override bool NeedsReset(T item) =>
        _mayNeedReset && Of(item) is { NeedsReset: true } connection && !connection.TryResetAtOnce();

    /// <summary>
    /// Records that the holder of a lease has enlisted its connection: the connection is not idle before the provider has left
    /// that transaction.
    /// </summary>
    public void ObserveEnlistment(T item, TransactionEnlistment enlistment)
    {
        var connection = Of(item);
        connection.LastEnlistment = enlistment;
        connection.Touch();
        _mayNeedReset = true;
    }

    public override async ValueTask<bool> ValidateAsync(T item, LeaseInfo info, CancellationToken cancellationToken) =>
        await IsAliveAsync(Of(item), reopens: true, queries: !(info.IdleTime < _options.QueryAfterIdle), cancellationToken)
            .ConfigureAwait(false);

    public override async ValueTask KeepAliveAsync(T item, CancellationToken cancellationToken)
    {
        if (!await IsAliveAsync(Of(item), reopens: false, queries: true, cancellationToken).ConfigureAwait(false))
        {
            throw new InvalidOperationException("The connection is broken.");
        }
    }

    public override async ValueTask<bool> ResetAsync(T item, CancellationToken cancellationToken)
    {
        var connection = Of(item);
        if (!connection.TryBeginWork())
        {
            return false;
        }

        try
        {
            return await _cleaner.CleanAsync(connection, cancellationToken).ConfigureAwait(false);
        }
        finally
        {
            connection.EndWork();
        }
    }

    // Called after the reset, by the thread that holds the connection.
    protected override T RenewedItem(T item)
    {
        var connection = Of(item);
        if (item is PhysicalConnection || ReferenceEquals(connection.Inner, item))
        {
            return item;
        }

        var renewed = (T)(object)connection.Inner;
        _known.Add(renewed, connection);
        return renewed;
    }

    public override ValueTask DestroyAsync(T item, DestroyReason reason) => _closer.CloseAsync(Of(item));

    /// <summary>
    /// Called when a validation has exceeded its timeout. A host that does not answer one connection answers none, and each of
    /// the others would delay a caller by the same time.
    /// </summary>
    protected override void OnValidationAbandoned(T item)
    {
        _opener.OnFatalError(Of(item).Origin, new TimeoutException("A connection did not answer in time."));
        var host = HostOf(item);
        _pool?.Clear(other => HostOf(other) == host);
    }

    private bool HasExpired(PhysicalConnection connection) => _opener.IsExpired(connection.Origin);

    /// <summary>The host of a connection; null if there is only one host.</summary>
    private object? HostOf(T item) => _opener.HostOf(Of(item).Origin);

    /// <summary>Whether an idle connection still works.</summary>
    /// <param name="connection">The connection.</param>
    /// <param name="reopens">Whether the provider may replace its session by another one.</param>
    /// <param name="queries">Whether the server must answer.</param>
    /// <param name="cancellationToken">Cancels the check.</param>
    private async ValueTask<bool> IsAliveAsync(
        PhysicalConnection connection, bool reopens, bool queries, CancellationToken cancellationToken)
    {
        if (connection.IsBroken || HasExpired(connection))
        {
            return false;
        }

        reopens &= connection.IsCheckedByOpening;
        var query = queries || !reopens ? connection.QueryFor(_options.ValidationQuery) : null;
        if (query is null && !reopens)
        {
            return true;
        }

        if (!connection.TryBeginWork())
        {
            return false;
        }

        try
        {
            if (reopens)
            {
                await connection.ReopenAsync(cancellationToken).ConfigureAwait(false);
            }

            if (query is not null)
            {
                await SessionReset.ReadAsync(connection.Inner, query, cancellationToken).ConfigureAwait(false);
            }

            return true;
        }
        catch (Exception failure) when (_options.Errors.Classify(failure) == DbErrorSeverity.Server)
        {
            _opener.OnFatalError(connection.Origin, failure);
            return false;
        }
        finally
        {
            connection.EndWork();
        }
    }

    private async ValueTask<T> AdoptAsync(OpenedConnection opened, CancellationToken cancellationToken)
    {
        var connection = opened.Connection;
        try
        {
            opened = await opened.WithRoleAsync(_options, cancellationToken).ConfigureAwait(false);
            if ((_options.RequiredRole, opened.Role)
                is (RequiredRole.Primary, ServerRole.Standby) or (RequiredRole.Standby, ServerRole.Primary))
            {
                throw new DbPoolException(
                    _options.Pool.Name!,
                    $"Pool '{_options.Pool.Name}': the role of the server is {opened.Role}, and RequiredRole is " +
                    $"{_options.RequiredRole}.",
                    innerException: null);
            }

            // A source that serves only this connection has just loaded them.
            var types = opened.OwnSource is null ? _opener.TypesOf(opened.Origin) : null;
            await _types.ReloadIfRequestedAsync(connection, types, cancellationToken).ConfigureAwait(false);
            _failures.OnOpened();
            if (_options.Initialize is { } initialize)
            {
                await initialize(connection, cancellationToken).ConfigureAwait(false);
            }

            var profile = _options.Profile ?? DbProviderProfile.For(connection.GetType());
            var reset = (_options.Reset ?? profile.GetReset(connection)).On(profile, opened.OwnSource is not null);
            var captured = await reset.CaptureAsync(connection, cancellationToken).ConfigureAwait(false);
            var physical = new PhysicalConnection(
                opened, captured, profile, reset, IsTracked, _options.Initialize);
            if (physical is T tracked)
            {
                return tracked;
            }

            if (connection is T leased)
            {
                _known.Add(leased, physical);
                return leased;
            }

            throw new InvalidOperationException(
                $"The pool leases {typeof(T)}, but its source opened a {connection.GetType()}. Use the type that the source " +
                "opens.");
        }
        catch
        {
            _opener.OnClosed(opened.Origin);
            await opened.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }
}
