using System.Diagnostics;
using Poolhouse.Resources.Engine.Creating;
using Poolhouse.Servers.Internal;

namespace Poolhouse.Servers;

/// <summary>
/// A set of interchangeable servers, for a policy that creates its items on one of them: selects the server, avoids failed ones,
/// and fails back.
/// </summary>
/// <typeparam name="TServer">The type that identifies a server: an endpoint, a connection string, a data source. Compared by its
/// own Equals.</typeparam>
/// <remarks>
/// <para>
/// Call <c>CreateAsync</c> in <see cref="ResourcePolicy{T}.CreateAsync"/>. It tries one server after the other, in the
/// order of <see cref="ServerSetOptions.Selection"/>, recently failed ones last. A server that failed is avoided for a while;
/// then one creation tries it again, and the others do not wait for the result. The set has no threads; its timers live only as
/// long as a creation.
/// </para>
/// <para>Thread safe. One set may serve several pools. It never converts a server to text.</para>
/// </remarks>
// Invariants
//   Load of a server = attempts on it that have not ended + items that have not left
//   an attempt ends once and an item leaves once, whichever comes first: the delegate, the timeout, disposal or the finalizer
//   at most one attempt at a time rechecks a server (Rechecking)
//   a failure counts only if the failed operation began after the last counted failure: operations that fail together count once
//   a role is stored only if no error has shown a change since its attempt began (RoleLosses)
// Locks: one gate, taken for every change and held only briefly. The clock, tokens and timers, the servers' Equals, the
// delegates and all other external code run outside it. A server list is immutable: it is searched without the gate and
// replaced under it.
public sealed partial class ServerSet<TServer>
    where TServer : notnull
{
    private readonly Gate _gate = new();
    private readonly ServerSetOptions _options;
    private readonly PoolClock _clock;
    private readonly long _recheckDelay;
    private readonly long _maxRecheckDelay;
    private readonly long _failBackAge;
    private readonly bool _isOrdered;
    private readonly ServerSelector<TServer> _selector;
    private ServerList<TServer> _serverList;

    // Without an order of preference: items created from this time on are not replaced for another server. Written under the
    // gate, read anywhere.
    private long _settledSince = long.MinValue;
    private long _lastNumber;

    /// <summary>Creates a server set.</summary>
    /// <param name="servers">The servers, the most preferred first; at least one, each once.</param>
    /// <param name="options">The settings; null for the defaults.</param>
    /// <exception cref="ArgumentNullException"><paramref name="servers"/> is null.</exception>
    /// <exception cref="ArgumentException">The list is empty, contains a server twice or contains null, or a setting is out of
    /// range.</exception>
    public ServerSet(IEnumerable<TServer> servers, ServerSetOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(servers);
        _options = (options ?? new ServerSetOptions()).Freeze();
        _clock = new PoolClock(_options.TimeProvider);
        Times = new CreationTimes(_options, _clock);
        _recheckDelay = _clock.Ticks(_options.RecheckDelay);
        _maxRecheckDelay = _clock.Ticks(_options.MaxRecheckDelay);
        _failBackAge = _clock.Ticks(_options.FailBackAge);
        _isOrdered = _options.Selection == ServerSelection.Ordered;
        var now = _clock.Now;
        _serverList = new ServerList<TServer>([.. servers], old: null, now);
        Renumber(now);
        _selector = new ServerSelector<TServer>(_options, _serverList.Listed.Length);
    }

    /// <summary>Creates an item on the first server that can.</summary>
    /// <typeparam name="T">The type of the item.</typeparam>
    /// <param name="create">
    /// Creates the item on one server; null counts as a failure. If it does not end when its token is cancelled, it is abandoned,
    /// and an item that it creates later is disposed.
    /// </param>
    /// <param name="timeout">
    /// The time for the creation, over all servers that are tried: 1 millisecond to 49 days, or
    /// <see cref="Timeout.InfiniteTimeSpan"/>. In a policy, pass the pool's <see cref="ResourcePoolOptions.CreateTimeout"/>. When
    /// it is over, the token of the delegate is cancelled; the server that is being tried then did not answer in time, and that
    /// counts as its failure.
    /// </param>
    /// <param name="cancellationToken">
    /// Cancelled when the item is no longer wanted: the token of <see cref="ResourcePolicy{T}.CreateAsync"/>. That does not count
    /// as a failure of any server, except in the last tenth of the timeout: a pool's own timeout ends a little earlier than this
    /// one.
    /// </param>
    /// <returns>The item, which the set counts until it is disposed.</returns>
    /// <exception cref="NoServerAvailableException">Several servers were tried, and all failed.</exception>
    /// <exception cref="TimeoutException">No server created an item within the timeout.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was cancelled.</exception>
    /// <exception cref="ArgumentNullException"><paramref name="create"/> is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="timeout"/> is out of range.</exception>
    /// <remarks>
    /// If only one server was available to be tried, an exception of the delegate reaches the caller unchanged.
    /// </remarks>
    public ValueTask<ServerItem<TServer, T>> CreateAsync<T>(
        Func<TServer, CancellationToken, ValueTask<T>> create,
        TimeSpan timeout,
        CancellationToken cancellationToken = default)
        where T : notnull =>
        CreateAsync(create, timeout, RequiredRole.Any, static _ => ServerRole.Unknown, cancellationToken);

    /// <summary>Creates an item on the first server that can and has the required role.</summary>
    /// <typeparam name="T">The type of the item.</typeparam>
    /// <param name="create">
    /// As for the other overload. Also determines the role of the server, on the item that it creates.
    /// </param>
    /// <param name="timeout">As for the other overload.</param>
    /// <param name="required">The role that the server must have.</param>
    /// <param name="getRole">
    /// Returns the role that the delegate has determined. Not called for <see cref="RequiredRole.Any"/>. An item of a server with
    /// the wrong role is disposed, and the next server is tried.
    /// </param>
    /// <param name="cancellationToken">As for the other overload.</param>
    /// <returns>The item, which the set counts until it is disposed.</returns>
    /// <exception cref="NoServerAvailableException">Each server failed or has the wrong role.</exception>
    /// <exception cref="TimeoutException">No server created an item within the timeout.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was cancelled.</exception>
    /// <exception cref="ArgumentNullException">A delegate is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException">
    /// <paramref name="timeout"/> or <paramref name="required"/> is out of range.
    /// </exception>
    /// <remarks>
    /// Servers that have the role, or may have it, are tried first. Servers known to have another one follow: a standby may have
    /// been promoted, or a primary demoted.
    /// </remarks>
    public async ValueTask<ServerItem<TServer, T>> CreateAsync<T>(
        Func<TServer, CancellationToken, ValueTask<T>> create,
        TimeSpan timeout,
        RequiredRole required,
        Func<T, ServerRole> getRole,
        CancellationToken cancellationToken = default)
        where T : notnull
    {
        ArgumentNullException.ThrowIfNull(create);
        ArgumentNullException.ThrowIfNull(getRole);
        using var sequence = new FailoverSequence<TServer>(this, timeout, required, cancellationToken);
        return await sequence.CreateAsync(create, getRole).ConfigureAwait(false);
    }

    /// <summary>
    /// Creates an item without asynchronous calls, for <see cref="ResourcePolicy{T}.Create"/>. Otherwise the same as
    /// <c>CreateAsync</c>.
    /// </summary>
    /// <typeparam name="T">The type of the item.</typeparam>
    /// <param name="create">
    /// As for <c>CreateAsync</c>. Runs on a dedicated thread while another server can be tried after this one, because a
    /// blocking call cannot be abandoned otherwise.
    /// </param>
    /// <param name="timeout">As for <c>CreateAsync</c>.</param>
    /// <param name="cancellationToken">As for <c>CreateAsync</c>.</param>
    /// <returns>The item, which the set counts until it is disposed.</returns>
    /// <exception cref="NoServerAvailableException">Several servers were tried, and all failed.</exception>
    /// <exception cref="TimeoutException">No server created an item within the timeout.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was cancelled.</exception>
    /// <exception cref="ArgumentNullException"><paramref name="create"/> is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="timeout"/> is out of range.</exception>
    public ServerItem<TServer, T> Create<T>(
        Func<TServer, CancellationToken, T> create, TimeSpan timeout, CancellationToken cancellationToken = default)
        where T : notnull =>
        Create(create, timeout, RequiredRole.Any, static _ => ServerRole.Unknown, cancellationToken);

    /// <summary>Creates an item on the first server that can and has the required role, without asynchronous calls.</summary>
    /// <typeparam name="T">The type of the item.</typeparam>
    /// <param name="create">As for <c>Create</c> without a role. Also determines the role, on the item that it creates.</param>
    /// <param name="timeout">As for <c>CreateAsync</c>.</param>
    /// <param name="required">The role that the server must have.</param>
    /// <param name="getRole">As for <c>CreateAsync</c>.</param>
    /// <param name="cancellationToken">As for <c>CreateAsync</c>.</param>
    /// <returns>The item, which the set counts until it is disposed.</returns>
    /// <exception cref="NoServerAvailableException">Each server failed or has the wrong role.</exception>
    /// <exception cref="TimeoutException">No server created an item within the timeout.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was cancelled.</exception>
    /// <exception cref="ArgumentNullException">A delegate is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException">
    /// <paramref name="timeout"/> or <paramref name="required"/> is out of range.
    /// </exception>
    public ServerItem<TServer, T> Create<T>(
        Func<TServer, CancellationToken, T> create,
        TimeSpan timeout,
        RequiredRole required,
        Func<T, ServerRole> getRole,
        CancellationToken cancellationToken = default)
        where T : notnull
    {
        ArgumentNullException.ThrowIfNull(create);
        ArgumentNullException.ThrowIfNull(getRole);
        using var sequence = new FailoverSequence<TServer>(this, timeout, required, cancellationToken);
        return sequence.Create(create, getRole);
    }

    /// <summary>
    /// Changes the list while the set is in use, for example after a new DNS answer or to take a server out of service.
    /// </summary>
    /// <param name="servers">The servers, the most preferred first; at least one, each once.</param>
    /// <remarks>
    /// Servers that stay keep their items, counts and health; so does one that is added again while it still has items. Items on
    /// servers that are no longer listed should fail back (<see cref="ServerItem{TServer, T}.ShouldFailBack"/>): at once, or,
    /// while none of the listed servers is up, one at each re-check. Creations in progress continue.
    /// </remarks>
    /// <exception cref="ArgumentNullException"><paramref name="servers"/> is null.</exception>
    /// <exception cref="ArgumentException">The list is empty, contains a server twice or contains null; nothing was
    /// changed.</exception>
    public void Replace(IEnumerable<TServer> servers)
    {
        ArgumentNullException.ThrowIfNull(servers);
        TServer[] list = [.. servers];
        CheckServers?.Invoke(list);
        while (true)
        {
            var old = Volatile.Read(ref _serverList);
            var now = _clock.Now;
            var serverList = new ServerList<TServer>(list, old, now);
            using (_gate.Enter())
            {
                // Another thread may have changed the list since it was read.
                if (_serverList == old)
                {
                    Volatile.Write(ref _serverList, serverList);
                    Renumber(now);
                    return;
                }
            }
        }
    }

    /// <summary>
    /// Reports a server failure from another source than a creation or an item: a custom probe or external monitoring.
    /// </summary>
    /// <param name="server">The server. Has no effect if the set does not know it.</param>
    /// <param name="failure">The exception that was thrown, for the statistics.</param>
    /// <remarks>
    /// Has no effect while the server is being avoided. For a failure in use, prefer
    /// <see cref="ServerItem{TServer, T}.ReportFailure"/>, which has more information.
    /// </remarks>
    /// <exception cref="ArgumentNullException"><paramref name="server"/> is null.</exception>
    public void ReportFailure(TServer server, Exception? failure = null)
    {
        if (Find(server) is { } state)
        {
            var now = _clock.Now;
            using (_gate.Enter())
            {
                if (!state.IsAvoided(now))
                {
                    Fail(state, failure, now);
                }
            }
        }
    }

    /// <summary>Reports that a server works: new items may go to it at once.</summary>
    /// <param name="server">The server. Has no effect if the set does not know it.</param>
    /// <exception cref="ArgumentNullException"><paramref name="server"/> is null.</exception>
    public void ReportSuccess(TServer server)
    {
        if (Find(server) is { } state)
        {
            var now = _clock.Now;
            using (_gate.Enter())
            {
                Succeed(state, now);
            }
        }
    }

    /// <summary>Reads the state and the counters of the servers.</summary>
    /// <returns>
    /// An immutable snapshot: the servers in the order of the list, followed by removed ones that still have items or attempts.
    /// </returns>
    public IReadOnlyList<ServerStatistics<TServer>> GetStatistics() => Read(static server => server);

    /// <summary>Reads the state and the counters of the servers, for <see cref="ResourcePolicy{T}.GetServers"/>.</summary>
    /// <param name="nameOf">Returns the name of a server, without secrets.</param>
    /// <returns>As for the other overload, with names instead of servers.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="nameOf"/> is null.</exception>
    public IReadOnlyList<ServerStatistics<string>> GetStatistics(Func<TServer, string> nameOf)
    {
        ArgumentNullException.ThrowIfNull(nameOf);
        return Read(nameOf);
    }

    private IReadOnlyList<ServerStatistics<TName>> Read<TName>(Func<TServer, TName> nameOf) where TName : notnull
    {
        var now = _clock.Now;
        var all = Volatile.Read(ref _serverList).All.Select(state => (State: state, Name: nameOf(state.Server))).ToList();
        using (_gate.Enter())
        {
            var shown = all.Where(each => each.State.Position != ServerState<TServer>.Unlisted || each.State.Load > 0);
            return [.. shown.Select(each => Describe(each.State, each.Name, now))];
        }
    }

    /// <summary>
    /// A callback that throws if one of the given servers cannot be used; <see cref="Replace"/> calls it before it changes the
    /// list. For authors of pools.
    /// </summary>
    /// <value><c>null</c> by default. The servers that are passed to the constructor are not checked.</value>
    public Action<IReadOnlyList<TServer>>? CheckServers { get; init; }

    /// <summary>How the server for a new item is selected.</summary>
    public ServerSelection Selection => _options.Selection;

    internal CreationTimes Times { get; }

    /// <summary>
    /// Whether servers are preferred in the order of the list, so that items on the first one are not replaced for another
    /// server.
    /// </summary>
    internal bool IsOrdered => _isOrdered;

    internal void ReportFailure(ServerItemTracker<TServer> tracker, Exception? failure)
    {
        var now = _clock.Now;
        using (_gate.Enter())
        {
            if (tracker.SeenFailures == tracker.State.Failures)
            {
                Fail(tracker.State, failure, now);
            }
        }
    }

    internal void ReportRoleLost(ServerItemTracker<TServer> tracker)
    {
        using (_gate.Enter())
        {
            if (tracker.Required == RequiredRole.Primary && tracker.SeenRoleLosses == tracker.State.RoleLosses)
            {
                tracker.State.LoseRole();
            }
        }
    }

    internal void Leave(ServerState<TServer> state)
    {
        using (_gate.Enter())
        {
            Debug.Assert(state.Items > 0, "An item left twice.");
            state.Items--;
        }
    }

    internal bool ShouldFailBack(ServerItemTracker<TServer> tracker)
    {
        if (tracker.HasLostRole)
        {
            return true;
        }

        var position = tracker.State.Position;
        var isListed = position != ServerState<TServer>.Unlisted;
        var stays = !tracker.IsMisplaced
            && (_isOrdered ? position == 0 : tracker.CreatedAt >= Volatile.Read(ref _settledSince));
        if (isListed && (stays || _failBackAge == PoolClock.Never))
        {
            return false;
        }

        var now = _clock.Now;
        if (isListed && now - tracker.CreatedAt < _failBackAge)
        {
            return false;
        }

        return IsBetterServed(tracker, now);
    }

    // A separate method, because the closure is allocated where its scope begins, and pools call the outer method at each rent
    // and return.
    private bool IsBetterServed(ServerItemTracker<TServer> tracker, long now)
    {
        using (_gate.Enter())
        {
            var position = tracker.State.Position;
            var others = _serverList.Listed.Where(other => other != tracker.State && other.MaySuit(tracker.Required));
            return position == ServerState<TServer>.Unlisted
                ? others.Any(other => other.IsUp || IsReplacedForRecheck(other, tracker, now))
                : !_isOrdered && !tracker.IsMisplaced
                    ? others.Any(other => HasFewerItems(other, tracker, now))
                : others.Where(other => tracker.IsMisplaced || other.Position < position).Any(better =>
                    better.IsUp ? HasBeenUpLongEnough(better, tracker, now) : IsReplacedForRecheck(better, tracker, now));
        }
    }

    /// <summary>
    /// Whether a server that came back, or was added, after the item was created has fewer items than the item's server.
    /// </summary>
    private bool HasFewerItems(ServerState<TServer> other, ServerItemTracker<TServer> tracker, long now) =>
        other.IsUp
            ? other.UpSince > tracker.CreatedAt && other.Load + 1 < tracker.State.Load && HasBeenUpLongEnough(other, tracker, now)
            : IsReplacedForRecheck(other, tracker, now);

    private bool HasBeenUpLongEnough(ServerState<TServer> better, ServerItemTracker<TServer> tracker, long now) =>
        now - better.UpSince >= (long)(_failBackAge * tracker.Share);

    // Returns true again for an item for which it has returned true: a pool calls this on the fast path and again before it
    // destroys the item.
    private bool IsReplacedForRecheck(ServerState<TServer> better, ServerItemTracker<TServer> tracker, long now)
    {
        if (better.IsRecheckDue(now) && (better.ItemToReplace == 0 || now >= better.ItemToReplaceUntil))
        {
            better.ItemToReplace = tracker.Number;
            better.ItemToReplaceUntil = PoolClock.Add(now, _recheckDelay);
        }

        return better.ItemToReplace == tracker.Number;
    }

    private void Fail(ServerState<TServer> state, Exception? failure, long now)
    {
        state.Fail(failure, now, FullJitter.Next(_options.Random, state.FailuresInRow, _recheckDelay, _maxRecheckDelay));
        Settle(now);
    }

    private void Succeed(ServerState<TServer> state, long now)
    {
        if (!state.IsUp)
        {
            state.Succeed(now);
            state.IsRefilled = true;
            Settle(now);
        }
    }

    /// <summary>
    /// Records that items may have to be replaced: for a server that has just come back, or for the recheck of one that is
    /// down.
    /// </summary>
    private void Settle(long now) =>
        Volatile.Write(ref _settledSince, Array.Exists(_serverList.Listed, state => !state.IsUp) ? PoolClock.Never : now);

    private void Renumber(long now)
    {
        foreach (var state in _serverList.All)
        {
            state.IsRefilled |= state.Position == ServerState<TServer>.Unlisted;
            state.MoveTo(Array.IndexOf(_serverList.Listed, state), now);
        }

        Settle(now);
    }

    private ServerState<TServer>? Find(TServer server)
    {
        ArgumentNullException.ThrowIfNull(server);
        return Volatile.Read(ref _serverList).Find(server);
    }

    private ServerStatistics<TName> Describe<TName>(ServerState<TServer> state, TName name, long now)
        where TName : notnull => new()
        {
            Server = name,
            Health = state.HealthAt(now),
            Role = state.Role,
            Items = state.Items,
            Creating = state.Creating,
            Created = state.Created,
            Failures = state.Failures,
            FailuresInRow = state.FailuresInRow,
            DownFor = state.IsUp ? TimeSpan.Zero : _clock.Span(now - state.DownSince),
            LastFailure = state.LastFailure,
            RecheckIn = state.HealthAt(now) == ServerHealth.Avoided ? _clock.Span(state.RecheckAt - now) : TimeSpan.Zero,
            Source = this,
        };
}
