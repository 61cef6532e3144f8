using System.Diagnostics;
using Poolhouse.Resources.Engine;
using Poolhouse.Resources.Nested;

namespace Poolhouse;

/// <summary>
/// A bounded pool of children that are created on a few parents: channels on connections, pages in browsers. A child is used by
/// one caller at a time; a parent carries many children.
/// </summary>
/// <typeparam name="TParent">The type of the parent. It must be safe to create and use several children on it at
/// once.</typeparam>
/// <typeparam name="TChild">The type of the child.</typeparam>
/// <remarks>
/// <para>
/// Two limits hold at every instant: the children on one parent
/// (<see cref="NestedParentOptions.MaxChildrenPerParent"/>) and the total number of children. The pool starts with one parent and
/// creates more as they fill up. Callers wait for a child in order of arrival, with a deadline that holds even if the
/// creation of a parent or of a child hangs.
/// </para>
/// <para>
/// A broken child affects only itself. A parent that is broken, too old, or cleared gets no new children: its idle children are
/// destroyed at once, leased ones when they are returned, and the parent after the last of them.
/// </para>
/// <para>
/// <see cref="Lease{T}.Detach"/> removes a child from the pool, which no longer keeps the parent alive for it.
/// </para>
/// <para>
/// Thread safe. Disposing the pool ends the waits and destroys idle children; leases remain active, and children and parents are
/// destroyed as they end.
/// </para>
/// <code>
/// await using var lease = await pool.RentAsync(cancellationToken);
/// await lease.Value.BasicPublishAsync(exchange, key, body, cancellationToken);
/// </code>
/// </remarks>
[DebuggerDisplay("{ToString(),nq}")]
[DebuggerTypeProxy(typeof(PoolDebugView))]
public sealed class NestedResourcePool<TParent, TChild> : IPool, IAsyncDisposable, IDisposable
    where TParent : notnull
    where TChild : notnull
{
    private readonly NestedLevels<TParent, TChild> _levels;
#pragma warning disable CA2213 // The levels dispose it, together with the parents.
    private readonly ResourcePool<NestedChild<TParent, TChild>> _children;
#pragma warning restore CA2213
    private NestedResourcePoolOptions _options;

    /// <summary>Creates a pool. If a MinIdle is set, the pool starts to fill in the background.</summary>
    /// <param name="parents">How parents are created, kept alive and destroyed.</param>
    /// <param name="children">How children are created on them, validated, reset and destroyed.</param>
    /// <param name="options">The settings; copied.</param>
    /// <exception cref="ArgumentNullException">An argument is null.</exception>
    /// <exception cref="ArgumentException">Settings are invalid; the message names each of them.</exception>
    public NestedResourcePool(
        ResourcePolicy<TParent> parents, NestedPolicy<TParent, TChild> children, NestedResourcePoolOptions options)
    {
        ArgumentNullException.ThrowIfNull(parents);
        ArgumentNullException.ThrowIfNull(children);
        ArgumentNullException.ThrowIfNull(options);
        _options = options.Freeze();
        var ofChildren = _options.ChildPool.Copy();
        Name = ofChildren.Name ??= PoolNames.For(typeof(TChild));

        // User code, which may throw: read before the parents' pool starts to create its minimum.
        var hooks = children.Hooks;
        _levels = new NestedLevels<TParent, TChild>(Name, parents, _options);
        _children = new ResourcePool<NestedChild<TParent, TChild>>(
            _levels.PolicyOf(children, hooks), ofChildren, share: null, reportedAs: this);
        _levels.Begin(_children, this, ofChildren.EffectiveReporter);
    }

    /// <inheritdoc/>
    public string Name { get; }

    internal ResourcePool<NestedChild<TParent, TChild>> Children => _children;

    /// <summary>Rents a child; waits at most for <see cref="ResourcePoolOptions.RentTimeout"/>.</summary>
    /// <inheritdoc cref="ResourcePool{T}.RentAsync(CancellationToken)"/>
    public ValueTask<Lease<TChild>> RentAsync(CancellationToken cancellationToken = default) =>
        NestedRents.BeginAsync(_children.RentAsync(cancellationToken));

    /// <summary>Rents a child; waits at most for the given timeout.</summary>
    /// <inheritdoc cref="ResourcePool{T}.RentAsync(TimeSpan, CancellationToken)"/>
    public ValueTask<Lease<TChild>> RentAsync(TimeSpan timeout, CancellationToken cancellationToken = default) =>
        NestedRents.BeginAsync(_children.RentAsync(timeout, cancellationToken));

    /// <summary>
    /// Rents a child; blocks for at most <see cref="ResourcePoolOptions.RentTimeout"/>. Use it only in code that cannot await.
    /// </summary>
    /// <inheritdoc cref="ResourcePool{T}.Rent(CancellationToken)"/>
    public Lease<TChild> Rent(CancellationToken cancellationToken = default) =>
        NestedRents.Begin(_children.Rent(cancellationToken));

    /// <summary>Rents a child; blocks for at most the given timeout. Use it only in code that cannot await.</summary>
    /// <inheritdoc cref="ResourcePool{T}.Rent(TimeSpan, CancellationToken)"/>
    public Lease<TChild> Rent(TimeSpan timeout, CancellationToken cancellationToken = default) =>
        NestedRents.Begin(_children.Rent(timeout, cancellationToken));

    /// <summary>
    /// Rents an idle child if one can be used at once; creates nothing and does not overtake waiting callers.
    /// </summary>
    /// <inheritdoc cref="ResourcePool{T}.TryRent"/>
    public bool TryRent(out Lease<TChild> lease)
    {
        var rented = _children.TryRent(out var engineLease);
        lease = rented ? NestedRents.Begin(engineLease) : default;
        return rented;
    }

    /// <summary>Waits until the given number of children is alive, and creates the missing ones, including parents.</summary>
    /// <param name="count">The number of children; 0 to the MaxSize of the children.</param>
    /// <param name="cancellationToken">Ends the wait; creations in progress continue.</param>
    /// <returns>
    /// A task that completes when the children are alive. It fails with the policy's own exception if one cannot be created.
    /// </returns>
    /// <exception cref="ArgumentOutOfRangeException">The count is out of range.</exception>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    public Task WarmUpAsync(int count, CancellationToken cancellationToken = default) =>
        _children.WarmUpAsync(count, cancellationToken);

    /// <summary>Creates parents ahead of demand, so that the first children are spread over several.</summary>
    /// <param name="count">The number of active parents to reach; 0 to
    /// <see cref="NestedParentOptions.MaxActiveParents"/>.</param>
    /// <param name="cancellationToken">Ends this wait.</param>
    /// <returns>A task that completes when the parents are active.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="count"/> is out of range.</exception>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    public Task WarmUpParentsAsync(int count, CancellationToken cancellationToken = default) =>
        _levels.WarmUpParentsAsync(count, cancellationToken);

    /// <summary>
    /// Changes the number of children that may be alive on all parents together. If it becomes smaller, surplus idle children are
    /// destroyed at once and leased ones as they are returned.
    /// </summary>
    /// <param name="maxSize">The MinIdle of the children (at least 1) to 1,000,000, as many as the parents have room for.</param>
    /// <exception cref="ArgumentException">The size is out of range.</exception>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    public void Resize(int maxSize) => Change(current => current.With(options => options.ChildPool.MaxSize = maxSize));

    /// <summary>
    /// Applies new options, either all or none. Operations in progress keep the deadlines with which they started.
    /// </summary>
    /// <param name="options">
    /// All settings. Of the settings of parents and children, those that <see cref="ResourcePool{T}.Reconfigure"/> cannot change
    /// must be unchanged.
    /// </param>
    /// <exception cref="ArgumentNullException"><paramref name="options"/> is null.</exception>
    /// <exception cref="ArgumentException">
    /// Settings are invalid or cannot be changed; the message names each of them. Nothing was changed.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    public void Reconfigure(NestedResourcePoolOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        Change(_ => options);
    }

    /// <summary>
    /// Stops renting until <see cref="Resume"/>: callers wait, and returned children are kept. Parents are kept as well, and
    /// their minimum is restored if one is lost.
    /// </summary>
    public void Suspend() => _children.Suspend();

    /// <summary>Ends a suspension; callers that are already waiting are served first.</summary>
    public void Resume() => _children.Resume();

    /// <summary>
    /// Reports a fatal error of a child's parent that affects every child on it: the parent takes no new ones, and all of
    /// them are destroyed as they become idle. The lease is tainted and remains active.
    /// </summary>
    /// <param name="lease">A lease of this pool. Has no effect if it has ended.</param>
    /// <param name="spread">
    /// Zero: now. Up to 1 day: at a random moment within that time, for a server that announces that it
    /// will close the connection.
    /// </param>
    /// <exception cref="ArgumentException">The lease belongs to another pool.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The time is out of range.</exception>
    /// <remarks>
    /// For errors that the IsBroken of the parents' policy does not detect. <see cref="Clear"/> replaces every parent.
    /// </remarks>
    public void Invalidate(Lease<TChild> lease, TimeSpan spread = default) => _levels.Invalidate(lease, spread);

    /// <summary>
    /// Replaces everything: idle children are destroyed, leased ones when they are returned, and each parent after its last
    /// child.
    /// </summary>
    /// <param name="spread">
    /// The time over which parents and children are replaced, each at a random moment, so that they are not all replaced at once;
    /// zero (now) to 1 day.
    /// </param>
    /// <exception cref="ArgumentOutOfRangeException">The time is out of range.</exception>
    /// <remarks>Call it after credentials were rotated or after a failover.</remarks>
    public void Clear(TimeSpan spread = default) => _levels.Clear(spread);

    /// <summary>Destroys every idle child, and the parents that have none; the pool refills later.</summary>
    /// <returns>
    /// The number of children to be destroyed. They are destroyed in the background; their parents stay until they are idle.
    /// </returns>
    public int Trim() => _levels.Trim();

    /// <summary>
    /// Closes the pool gracefully: new callers are rejected, waiting ones are still served, every child is destroyed as it
    /// becomes idle, and each parent after its last child.
    /// </summary>
    /// <param name="cancellationToken">Ends this wait, not the draining; <see cref="Dispose"/> speeds it up.</param>
    /// <returns>A task that completes when no child or parent is alive any more.</returns>
    public Task DrainAsync(CancellationToken cancellationToken = default) => _levels.DrainAsync().WaitAsync(cancellationToken);

    /// <summary>Reads the counters of the children.</summary>
    /// <returns>An immutable snapshot. <see cref="GetParentStatistics"/> returns the counters of the parents.</returns>
    public ResourcePoolStatistics GetStatistics() => _children.GetStatistics().AddDoubleReturns(_levels.Owner.DoubleReturns);

    /// <inheritdoc/>
    public IReadOnlyList<LeaseSnapshot> GetLeases(int max) => _children.GetLeases(max);

    PoolStatistics IPool.GetStatistics() => GetStatistics();

    IReadOnlyList<ServerStatistics<string>> IPool.GetServers() => ((IPool)_levels.Parents).GetServers();

    /// <summary>Describes the pool in one line, for debuggers and logs.</summary>
    /// <returns>Its name and current numbers. The format may change.</returns>
    public override string ToString() => _children.ToString();

    /// <summary>Reads the counters of the parents: created, alive, and destroyed by reason.</summary>
    /// <returns>An immutable snapshot in which every active parent is leased.</returns>
    public ResourcePoolStatistics GetParentStatistics() => _levels.Parents.GetItemStatistics();

    /// <summary>Reads the number of children of each active parent, including those being created or destroyed.</summary>
    /// <returns>One number per parent that takes new children.</returns>
    public IReadOnlyList<int> GetChildCounts() => _levels.Parents.GetUses();

    /// <summary>
    /// Closes the pool: waits end with <see cref="ObjectDisposedException"/>, idle children, and parents without any, are
    /// destroyed in the background.
    /// </summary>
    /// <remarks>
    /// Leases remain active; children are destroyed as they end, and parents after them. Repeated calls have no effect.
    /// </remarks>
    public void Dispose() => _levels.Close();

    /// <summary>
    /// Does the same as <see cref="Dispose"/>, and waits until idle children, parents and those in transition are destroyed, each
    /// within its deadline.
    /// </summary>
    /// <returns>A task that completes when these are destroyed. It does not wait for leases.</returns>
    public ValueTask DisposeAsync() => _levels.CloseAsync();

    private void Change(Func<NestedResourcePoolOptions, NestedResourcePoolOptions> change) =>
        _levels.Change(
            ref _options, current => change(current).FreezeChange(current),
            options => _children.ApplyValidated(options.ChildPool));
}
