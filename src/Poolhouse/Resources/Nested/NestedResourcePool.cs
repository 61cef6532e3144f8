using Poolhouse.Kernel;
using Poolhouse.Resources.Nested;

namespace Poolhouse;

/// <summary>
/// A bounded pool of children that live on a few parents: channels on connections, pages in browsers. A child is used by one
/// caller at a time; a parent carries many.
/// </summary>
/// <typeparam name="TParent">The type of the parent. It must be safe to make and use several children on it at once.</typeparam>
/// <typeparam name="TChild">The type of the child.</typeparam>
/// <remarks>
/// <para>
/// There are two bounds, which hold at every instant: the children on a parent
/// (<see cref="NestedParentOptions.MaxChildrenPerParent"/>) and the children altogether. The pool begins with one parent and
/// makes more as they fill up. Callers wait for a child in the order of arrival, with a deadline that holds although the
/// creation of a parent or of a child hangs.
/// </para>
/// <para>
/// A broken child costs only itself. A parent that is broken, too old, or cleared gets no new children: its idle ones are
/// destroyed at once, leased ones when they come back, and the parent after the last of them.
/// </para>
/// <para>
/// <see cref="Lease{T}.Detach"/> takes a child out of the pool, which no longer keeps its parent for it.
/// </para>
/// <para>
/// Thread safe. Disposing the pool ends the waits and destroys what is idle; leases go on, and children and parents are
/// destroyed as they end.
/// </para>
/// <code>
/// await using var lease = await pool.RentAsync(cancellationToken);
/// await lease.Value.BasicPublishAsync(exchange, key, body, cancellationToken);
/// </code>
/// </remarks>
public sealed class NestedResourcePool<TParent, TChild> : IPool, IAsyncDisposable, IDisposable
    where TParent : notnull
    where TChild : notnull
{
    private readonly NestedParents<TParent> _parents;
    private readonly ResourcePool<NestedChild<TParent, TChild>> _children;
    private readonly NestedChildOwner<TParent, TChild> _owner;
    private readonly PoolReporter _reporter;

    /// <summary>Makes a pool; it begins to fill up in the background if a MinIdle is set.</summary>
    /// <param name="parents">How parents are made, looked after and destroyed.</param>
    /// <param name="children">How children are made on them, checked, cleaned and destroyed.</param>
    /// <param name="options">The settings; copied.</param>
    /// <exception cref="ArgumentNullException">An argument is null.</exception>
    /// <exception cref="ArgumentException">Settings are invalid; the message names each.</exception>
    public NestedResourcePool(
        ResourcePolicy<TParent> parents, NestedPolicy<TParent, TChild> children, NestedResourcePoolOptions options)
    {
        ArgumentNullException.ThrowIfNull(parents);
        ArgumentNullException.ThrowIfNull(children);
        ArgumentNullException.ThrowIfNull(options);
        var frozen = options.Freeze();
        var ofChildren = frozen.Children;
        Name = ofChildren.Name ??= PoolNames.For(typeof(TChild));
        _owner = new NestedChildOwner<TParent, TChild>(Name, RetireOrphaned);
        _parents = new NestedParents<TParent>(parents, frozen, Name, RetireOrphaned);
        var policy = new NestedChildPolicy<TParent, TChild>(_parents, children, _owner, ofChildren.TimeProvider);
        _children = new ResourcePool<NestedChild<TParent, TChild>>(policy, ofChildren, share: null, face: this);
        _reporter = PoolReporter.Of(ofChildren.Meter, ofChildren.MeterFactory);
        _reporter.Add(this);
    }

    /// <inheritdoc/>
    public string Name { get; }

    internal ResourcePool<NestedChild<TParent, TChild>> Children => _children;

    /// <summary>Rents a child; waits at most <see cref="ResourcePoolOptions.RentTimeout"/>.</summary>
    /// <inheritdoc cref="ResourcePool{T}.RentAsync(CancellationToken)"/>
    public ValueTask<Lease<TChild>> RentAsync(CancellationToken cancellationToken = default) =>
        NestedRents.BeginAsync(_children.RentAsync(cancellationToken));

    /// <summary>Rents a child; waits at most so long.</summary>
    /// <inheritdoc cref="ResourcePool{T}.RentAsync(TimeSpan, CancellationToken)"/>
    public ValueTask<Lease<TChild>> RentAsync(TimeSpan timeout, CancellationToken cancellationToken = default) =>
        NestedRents.BeginAsync(_children.RentAsync(timeout, cancellationToken));

    /// <summary>
    /// Rents a child; blocks at most <see cref="ResourcePoolOptions.RentTimeout"/>. Use it where there is no way to await.
    /// </summary>
    /// <inheritdoc cref="ResourcePool{T}.Rent(CancellationToken)"/>
    public Lease<TChild> Rent(CancellationToken cancellationToken = default) =>
        NestedRents.Begin(_children.Rent(cancellationToken));

    /// <summary>Rents a child; blocks at most so long. Use it where there is no way to await.</summary>
    /// <inheritdoc cref="ResourcePool{T}.Rent(TimeSpan, CancellationToken)"/>
    public Lease<TChild> Rent(TimeSpan timeout, CancellationToken cancellationToken = default) =>
        NestedRents.Begin(_children.Rent(timeout, cancellationToken));

    /// <summary>
    /// Rents an idle child if there is one that can be used at once: nothing is created and nobody is overtaken.
    /// </summary>
    /// <inheritdoc cref="ResourcePool{T}.TryRent"/>
    public bool TryRent(out Lease<TChild> lease)
    {
        var rented = _children.TryRent(out var place);
        lease = rented ? NestedRents.Begin(place) : default;
        return rented;
    }

    /// <summary>Waits until so many children are alive, and creates what is missing, parents included.</summary>
    /// <param name="count">How many; 0 to the MaxSize of the children.</param>
    /// <param name="cancellationToken">Ends the wait; creations under way go on.</param>
    /// <returns>
    /// A task that completes when they are alive. It fails with the policy's own exception when one cannot be created.
    /// </returns>
    /// <exception cref="ArgumentOutOfRangeException">The count is out of range.</exception>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    public Task WarmUpAsync(int count, CancellationToken cancellationToken = default) =>
        _children.WarmUpAsync(count, cancellationToken);

    /// <summary>Makes parents ahead of demand, so that the first children are spread over several.</summary>
    /// <param name="count">How many shall be at work; 0 to <see cref="NestedParentOptions.MaxActiveParents"/>.</param>
    /// <param name="cancellationToken">Ends this wait.</param>
    /// <returns>A task that completes when they are there.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="count"/> is out of range.</exception>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    public Task WarmUpParentsAsync(int count, CancellationToken cancellationToken = default) =>
        _parents.Pool.WarmUpAsync(count, cancellationToken);

    /// <summary>
    /// Reports a fatal error of a child's parent, which every child on it will meet too: the parent is retired with all of
    /// them. The lease is tainted and goes on.
    /// </summary>
    /// <param name="lease">A lease of this pool. Nothing happens if it has ended.</param>
    /// <exception cref="ArgumentException">The lease is one of another pool.</exception>
    /// <remarks>For errors that the IsBroken of the parents' policy does not see.</remarks>
    public void Invalidate(Lease<TChild> lease) => NestedRents.Invalidate(lease, _owner, _parents);

    /// <summary>
    /// Replaces everything: what is idle is destroyed now, leased children when they come back, and each parent after its last
    /// child.
    /// </summary>
    /// <remarks>Call it after credentials were rotated, or after a failover.</remarks>
    public void Clear()
    {
        _children.Clear();
        _parents.Pool.Clear();
    }

    /// <summary>Destroys every idle child, and the parents that have none; the pool fills up again later.</summary>
    /// <returns>
    /// How many children go. They are destroyed in the background; their parents stay, and go when they are idle.
    /// </returns>
    public int Trim()
    {
        var trimmed = _children.Trim();
        _parents.Pool.Trim();
        return trimmed;
    }

    /// <summary>
    /// Ends the pool gently: nobody new is served, those who wait are, every child is destroyed as it becomes idle, and each
    /// parent after its last child.
    /// </summary>
    /// <param name="cancellationToken">Ends this wait, not the draining; <see cref="Dispose"/> hurries it.</param>
    /// <returns>A task that completes when nothing is alive any more.</returns>
    public Task DrainAsync(CancellationToken cancellationToken = default) => DrainAllAsync().WaitAsync(cancellationToken);

    /// <summary>Reads the counters of the children.</summary>
    /// <returns>An immutable snapshot. <see cref="GetParentStatistics"/> has the counters of the parents.</returns>
    public ResourcePoolStatistics GetStatistics()
    {
        var statistics = _children.GetStatistics();
        return statistics with { DoubleReturns = statistics.DoubleReturns + _owner.DoubleReturns };
    }

    PoolStatistics IPool.GetStatistics() => GetStatistics();

    /// <summary>Reads the counters of the parents: created, destroyed and why, alive.</summary>
    /// <returns>An immutable snapshot, in which every parent at work is leased.</returns>
    public ResourcePoolStatistics GetParentStatistics() => _parents.Pool.GetItemStatistics();

    /// <summary>How many children each parent at work has, those on their way in or out included.</summary>
    /// <returns>One number a parent; retired ones are not among them.</returns>
    public IReadOnlyList<int> GetChildCounts() => _parents.Pool.GetUses();

    /// <summary>
    /// Closes the pool: waits end with <see cref="ObjectDisposedException"/>, idle children, and parents without any, are
    /// destroyed in the background.
    /// </summary>
    /// <remarks>Leases go on; children are destroyed as they end, and parents after them. Harmless when repeated.</remarks>
    public void Dispose()
    {
        _children.Dispose();
        _parents.Pool.Dispose();
        _reporter.Remove(this);
    }

    /// <summary>
    /// The same as <see cref="Dispose"/>, and waits until what was idle or on its way is destroyed, each within its deadline.
    /// </summary>
    /// <returns>A task that completes then. It does not wait for leases.</returns>
    public async ValueTask DisposeAsync()
    {
        // First the children: the parents that only those kept are then among what is waited for.
        await _children.DisposeAsync().ConfigureAwait(false);
        await _parents.Pool.DisposeAsync().ConfigureAwait(false);
        _reporter.Remove(this);
    }

    private async Task DrainAllAsync()
    {
        await _children.DrainAsync(CancellationToken.None).ConfigureAwait(false);
        await _parents.Pool.DrainAsync(CancellationToken.None).ConfigureAwait(false);
        _reporter.Remove(this);
    }

    // The parents may be told of before there is a pool of children: then none rests on them.
    private void RetireOrphaned() => _children?.RetireOrphaned();
}
