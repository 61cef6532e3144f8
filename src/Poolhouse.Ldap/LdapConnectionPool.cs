using System.Diagnostics;
using System.DirectoryServices.Protocols;
using Poolhouse.Ldap.Internal;
using Poolhouse.Ldap.Internal.Servers;
using Poolhouse.Servers;
using Poolhouse.Workers;

namespace Poolhouse.Ldap;

/// <summary>
/// A pool of connections to an LDAP directory, bound as a service, and a second pool of connections that only check passwords.
/// </summary>
/// <remarks>
/// <para>
/// Each has at most <see cref="ResourcePoolOptions.MaxSize"/> live connections. Callers are served in the order of arrival, with
/// timeouts. No lease ever has an identity other than the service's: a connection on which a bind was attempted is bound again,
/// and one that lost its server is destroyed, because it would otherwise reconnect anonymously.
/// </para>
/// <para>
/// Connecting, binding, and the calls of <see cref="SendAsync{TResponse}"/> and similar methods block inside the operating
/// system's library. They run on a bounded number of threads that belong to the pool; callers are answered in time even if such a
/// call never returns.
/// </para>
/// <para>Thread safe. Disposing the pool ends the waits and closes idle connections; leases continue, and their connections are
/// closed as they end.</para>
/// <code>
/// await using var pool = new LdapConnectionPool(options);
/// var response = await pool.SendAsync&lt;SearchResponse&gt;(new SearchRequest("dc=example,dc=org", "(uid=ada)",
/// SearchScope.Subtree));
/// </code>
/// </remarks>
[DebuggerDisplay("{ToString(),nq}")]
[DebuggerTypeProxy("Poolhouse.Kernel.Debugging.PoolDebugView, Poolhouse")]
public sealed partial class LdapConnectionPool : IPool, IAsyncDisposable, IDisposable
{
    private readonly LdapPoolOptions _given;
    private readonly Lock _changing = new();
    private volatile LdapPoolOptions _options;
    private readonly LdapThreads _threads;
    private readonly LdapCredentials _credentials;
    private readonly ServiceConnectionPolicy _operatePolicy;
    private readonly VerifyConnectionPolicy _verifyPolicy;
    private readonly LdapServers _servers;
    private readonly ResourcePool<PooledLdapConnection> _operate;
    private readonly ResourcePool<PooledLdapConnection> _verify;

    /// <summary>
    /// Creates a pool. It connects on the first rent, or immediately up to <see cref="ResourcePoolOptions.MinIdle"/>.
    /// </summary>
    /// <param name="options">The settings; copied.</param>
    /// <exception cref="ArgumentNullException"><paramref name="options"/> is null.</exception>
    /// <exception cref="ArgumentException">Settings are invalid; the message names each.</exception>
    public LdapConnectionPool(LdapPoolOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        _options = options.Freeze();
        _given = options.Snapshot();
        _threads = new LdapThreads(_options);
        _servers = new LdapServers(_options, _threads);
        var opener = new LdapOpener(_options);
        ResourcePool<PooledLdapConnection>? operate = null;
        _credentials = new LdapCredentials(
            _options,
            spread => Volatile.Read(ref operate)?.Clear(
                static connection => connection.CredentialVersion is { IsReplaced: true }, spread));
        _operatePolicy = new ServiceConnectionPolicy(opener, _threads, _servers, _options, _credentials);
        _operate = new ResourcePool<PooledLdapConnection>(_operatePolicy, _options.Pool);
        Volatile.Write(ref operate, _operate);
        _verifyPolicy = new VerifyConnectionPolicy(opener, _threads, _servers, _options);
        _verify = new ResourcePool<PooledLdapConnection>(_verifyPolicy, _options.VerifyPool);
    }

    /// <inheritdoc/>
    public string Name => _operate.Name;

    /// <summary>Rents a connection bound as the service; waits at most <see cref="ResourcePoolOptions.RentTimeout"/>.</summary>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <returns>The lease. Await it once.</returns>
    /// <exception cref="PoolTimeoutException">The time was up.</exception>
    /// <exception cref="PoolOverloadedException">Too many are waiting.</exception>
    /// <exception cref="PoolUnavailableException">Connections cannot be opened, and the pool is set to fail fast.</exception>
    /// <exception cref="LdapException">The connection meant for this caller could not be opened or bound. With
    /// <see cref="LdapPoolOptions.DnsDomain"/> also: DNS lists no servers (94), or could not be queried (81).</exception>
    /// <exception cref="NoServerAvailableException">None of several servers could be reached.</exception>
    /// <exception cref="OperationCanceledException">The caller cancelled.</exception>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    public ValueTask<Lease<PooledLdapConnection>> RentAsync(CancellationToken cancellationToken = default) =>
        _operate.RentAsync(cancellationToken);

    /// <inheritdoc cref="RentAsync(CancellationToken)"/>
    /// <summary>Rents a connection bound as the service; waits at most for the given timeout.</summary>
    /// <param name="timeout">Zero or more, at most 49 days, or <see cref="Timeout.InfiniteTimeSpan"/>.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    public ValueTask<Lease<PooledLdapConnection>> RentAsync(TimeSpan timeout, CancellationToken cancellationToken = default) =>
        _operate.RentAsync(timeout, cancellationToken);

    /// <inheritdoc cref="RentAsync(CancellationToken)"/>
    /// <summary>Rents a connection bound as the service; blocks at most <see cref="ResourcePoolOptions.RentTimeout"/>.</summary>
    /// <returns>The lease.</returns>
    public Lease<PooledLdapConnection> Rent(CancellationToken cancellationToken = default) => _operate.Rent(cancellationToken);

    /// <inheritdoc cref="RentAsync(TimeSpan, CancellationToken)"/>
    /// <summary>Rents a connection bound as the service; blocks at most for the given timeout.</summary>
    /// <returns>The lease.</returns>
    public Lease<PooledLdapConnection> Rent(TimeSpan timeout, CancellationToken cancellationToken = default) =>
        _operate.Rent(timeout, cancellationToken);

    /// <inheritdoc cref="ResourcePool{T}.TryRent"/>
    public bool TryRent(out Lease<PooledLdapConnection> lease) => _operate.TryRent(out lease);

    /// <inheritdoc cref="ResourcePool{T}.WarmUpAsync"/>
    public Task WarmUpAsync(int count, CancellationToken cancellationToken = default) =>
        _operate.WarmUpAsync(count, cancellationToken);

    /// <summary>
    /// Changes the maximum number of connections for operations. The number of those that check passwords does not change.
    /// </summary>
    /// <param name="maxSize"><see cref="ResourcePoolOptions.MinIdle"/> (at least 1) to 1,000,000.</param>
    /// <exception cref="ArgumentException">The size is out of range.</exception>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    public void Resize(int maxSize) => _operate.Resize(maxSize);

    /// <summary>
    /// Applies new options, either all or none. Operations in progress keep the deadlines with which they started.
    /// </summary>
    /// <param name="options">
    /// All settings. What can change is <see cref="LdapPoolOptions.Pool"/> and <see cref="LdapPoolOptions.VerifyPool"/>, as far
    /// as <see cref="ResourcePool{T}.Reconfigure"/> can, <see cref="LdapPoolOptions.CredentialSpread"/> and
    /// <see cref="LdapPoolOptions.Retries"/>. <see cref="ReplaceServers"/> changes the servers,
    /// <see cref="LdapPoolOptions.Credentials"/> the credential. The number of threads does not change.
    /// </param>
    /// <exception cref="ArgumentNullException"><paramref name="options"/> is null.</exception>
    /// <exception cref="ArgumentException">
    /// Settings are invalid or cannot be changed; the message names each of them. Nothing was changed.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    public void Reconfigure(LdapPoolOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        lock (_changing)
        {
            var changed = options.FreezeChange(_given, _options);
            _operate.Reconfigure(changed.Pool);
            _verify.Reconfigure(changed.VerifyPool);
            _servers.Reconfigure(changed.Pool);
            _credentials.Spread = changed.CredentialSpread;
            _operatePolicy.Reconfigure(changed.Pool);
            _verifyPolicy.Reconfigure(changed.VerifyPool);
            _options = changed;
        }
    }

    /// <summary>
    /// Reports a fatal error of the directory, which probably affects the other connections for operations as well, as
    /// <see cref="ResourcePool{T}.Invalidate(Lease{T}, TimeSpan)"/> does.
    /// </summary>
    /// <param name="lease">A lease of this pool. Has no effect if it has ended.</param>
    /// <param name="spread">The period over which the other connections are replaced; zero (now) to 1 day.</param>
    /// <exception cref="ArgumentException">The lease belongs to another pool.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The time is out of range.</exception>
    public void Invalidate(Lease<PooledLdapConnection> lease, TimeSpan spread = default) => _operate.Invalidate(lease, spread);

    /// <summary>
    /// Lets all live connections of both kinds expire: idle ones are closed now, leased ones when they are returned.
    /// </summary>
    /// <param name="spread">The period over which they are closed; zero (now) to 1 day.</param>
    /// <exception cref="ArgumentOutOfRangeException">The time is out of range.</exception>
    public void Clear(TimeSpan spread = default)
    {
        _operate.Clear(spread);
        _verify.Clear(spread);
    }

    /// <summary>Closes every idle connection, of both kinds.</summary>
    /// <returns>The number of connections that are closed.</returns>
    public int Trim() => _operate.Trim() + _verify.Trim();

    /// <inheritdoc cref="ResourcePool{T}.Suspend"/>
    public void Suspend()
    {
        _operate.Suspend();
        _verify.Suspend();
    }

    /// <inheritdoc cref="ResourcePool{T}.Resume"/>
    public void Resume()
    {
        _operate.Resume();
        _verify.Resume();
    }

    /// <summary>
    /// Replaces the list of servers: to take one out of service, or after an update from a source other than DNS.
    /// </summary>
    /// <param name="servers">As <see cref="LdapPoolOptions.Servers"/>, with the same rules for ports and ldaps as at
    /// construction.</param>
    /// <remarks>Connections to servers that are no longer listed are closed when they are returned or would be rented.</remarks>
    /// <exception cref="ArgumentNullException"><paramref name="servers"/> is null.</exception>
    /// <exception cref="ArgumentException">The list is empty, names a server twice, or cannot be read; nothing was
    /// changed.</exception>
    /// <exception cref="InvalidOperationException">The servers come from DNS
    /// (<see cref="LdapPoolOptions.DnsDomain"/>).</exception>
    public void ReplaceServers(IEnumerable<string> servers)
    {
        ArgumentNullException.ThrowIfNull(servers);
        if (_options.DnsDomain is { } domain)
        {
            throw new InvalidOperationException(
                $"Pool '{Name}': the servers come from the SRV records of {domain}. Change the records, or create a pool with " +
                "Servers instead of DnsDomain.");
        }

        var errors = new PoolOptionErrors();
        var list = _options.ParseServers(servers, errors, out var security);
        errors.Check(
            security == _options.Security, nameof(LdapPoolOptions.Servers), "ldaps",
            $"servers for {_options.Security}, as at construction");
        errors.ThrowIfAny(servers);
        _servers.Replace(list);
    }

    /// <summary>Rejects new callers, serves those that wait, and closes each connection when its lease ends.</summary>
    /// <param name="cancellationToken">Cancels the wait; outstanding connections are closed when they are returned.</param>
    /// <returns>A task that completes when no connection is left.</returns>
    public Task DrainAsync(CancellationToken cancellationToken = default) =>
        Task.WhenAll(_operate.DrainAsync(cancellationToken), _verify.DrainAsync(cancellationToken));

    /// <summary>Reads the counters of the connections for operations.</summary>
    /// <returns>An immutable snapshot.</returns>
    public ResourcePoolStatistics GetStatistics() => _operate.GetStatistics();

    PoolStatistics IPool.GetStatistics() => GetStatistics();

    /// <summary>Describes the pool in one line, for debuggers and logs.</summary>
    /// <returns>Its name and current numbers. The format may change.</returns>
    public override string ToString() => _operate.ToString();

    /// <summary>Reads which connections for operations are leased, since when and by whom, without stopping the pool.</summary>
    /// <inheritdoc/>
    public IReadOnlyList<LeaseSnapshot> GetLeases(int max) => _operate.GetLeases(max);

    /// <summary>Reads the counters of the connections that check passwords.</summary>
    /// <returns>An immutable snapshot.</returns>
    public ResourcePoolStatistics GetVerifyStatistics() => _verify.GetStatistics();

    /// <summary>Reads the state of the servers, with the connections of both kinds.</summary>
    /// <returns>
    /// An immutable snapshot, in the order of the list; empty until DNS has named the servers, if they come from DNS.
    /// </returns>
    public IReadOnlyList<ServerStatistics<LdapServer>> GetServerStatistics() => _servers.GetStatistics();

    /// <summary>
    /// Reads the counters of the threads inside blocking calls: how many there are, and how many are stuck.
    /// </summary>
    /// <returns>An immutable snapshot.</returns>
    public WorkerPoolStatistics GetThreadStatistics() => _threads.GetStatistics();

    /// <summary>Ends the waits and closes idle connections. Repeated calls have no effect.</summary>
    /// <remarks>
    /// Operations that have a connection continue, such as an enumeration of <see cref="SearchPagedAsync"/>. The threads end when
    /// the last connection is closed.
    /// </remarks>
    public void Dispose()
    {
        _operate.Dispose();
        _verify.Dispose();
        _ = EndThreadsAsync();
    }

    /// <summary>
    /// Ends the waits, closes idle connections, and waits until pending work has ended. Repeated calls have no effect.
    /// </summary>
    /// <returns>A task that completes at that time; leases may still be outstanding.</returns>
    public async ValueTask DisposeAsync()
    {
        Dispose();
        await _operate.DisposeAsync().ConfigureAwait(false);
        await _verify.DisposeAsync().ConfigureAwait(false);
    }

    // Operations that hold a lease continue, so the threads end after the last connection.
    private async Task EndThreadsAsync()
    {
        await DrainAsync().ConfigureAwait(false);
        _threads.Dispose();
    }
}
