using System.Diagnostics;
using Poolhouse.Resources.Engine;
using Poolhouse.Resources.Nested;

namespace Poolhouse;

/// <summary>
/// A nested pool that keeps separate children for each key, such as channels with confirms, with transactions, and plain ones,
/// all on the same connections.
/// </summary>
/// <typeparam name="TKey">The type of the key: everything that distinguishes one child from another.</typeparam>
/// <typeparam name="TParent">The type of the parent. It must be safe to create and use several children on it at
/// once.</typeparam>
/// <typeparam name="TChild">The type of the child.</typeparam>
/// <remarks>
/// <para>
/// It manages parents like a <see cref="NestedResourcePool{TParent, TChild}"/> and children like a
/// <see cref="KeyedResourcePool{TKey, T}"/>: a child is only ever rented for the key that it was created for, keys share the
/// parents and the capacity for all children, and a waiting key takes the slot of another key's idle child.
/// </para>
/// <para>
/// Thread safe. Disposing the pool ends the waits and destroys idle children; leases remain active, and children and parents are
/// destroyed as they end.
/// </para>
/// </remarks>
[DebuggerDisplay("{ToString(),nq}")]
[DebuggerTypeProxy(typeof(PoolDebugView))]
public sealed class KeyedNestedResourcePool<TKey, TParent, TChild> : IPool, IAsyncDisposable, IDisposable
    where TKey : notnull
    where TParent : notnull
    where TChild : notnull
{
    private readonly NestedLevels<TParent, TChild> _levels;
#pragma warning disable CA2213 // The levels dispose it, together with the parents.
    private readonly KeyedResourcePool<TKey, NestedChild<TParent, TChild>> _children;
#pragma warning restore CA2213
    private KeyedNestedResourcePoolOptions<TKey> _options;

    /// <summary>Creates a pool without keys; a key is added by its first rent.</summary>
    /// <param name="parents">How parents are created, kept alive and destroyed.</param>
    /// <param name="children">
    /// Creates the policy of a key's children. Called for a new key without a lock, so possibly twice; it should be cheap.
    /// </param>
    /// <param name="options">The settings; copied.</param>
    /// <exception cref="ArgumentNullException">An argument is null.</exception>
    /// <exception cref="ArgumentException">Settings are invalid; the message names each of them.</exception>
    public KeyedNestedResourcePool(
        ResourcePolicy<TParent> parents,
        Func<TKey, NestedPolicy<TParent, TChild>> children,
        KeyedNestedResourcePoolOptions<TKey> options)
    {
        ArgumentNullException.ThrowIfNull(parents);
        ArgumentNullException.ThrowIfNull(children);
        ArgumentNullException.ThrowIfNull(options);
        _options = options.Freeze();
        var ofChildren = _options.ChildPool.Copy();
        var perKey = ofChildren.Pool;
        Name = perKey.Name ??= PoolNames.For(typeof(TChild));
        _levels = new NestedLevels<TParent, TChild>(Name, parents, _options);

        // The keyed pool throws the exception for a delegate that returns null.
        _children = new KeyedResourcePool<TKey, NestedChild<TParent, TChild>>(
            key => children(key) is { } policy ? _levels.PolicyOf(policy, policy.Hooks) : null!,
            ofChildren,
            reportedAs: this);
        var creations = _levels.Parents.ItemSet.Room;
        creations.LackOfRoomChanged = _children.LimitBy(creations.CountWithoutRoom);
        _levels.Begin(_children, this, perKey.EffectiveReporter);
    }

    /// <inheritdoc/>
    public string Name { get; }

    /// <summary>The number of keys that the pool currently knows.</summary>
    public int KeyCount => _children.KeyCount;

    internal KeyedResourcePool<TKey, NestedChild<TParent, TChild>> Children => _children;

    /// <summary>Rents a child of a key; waits at most for <see cref="ResourcePoolOptions.RentTimeout"/>.</summary>
    /// <inheritdoc cref="KeyedResourcePool{TKey, T}.RentAsync(TKey, CancellationToken)"/>
    public ValueTask<Lease<TChild>> RentAsync(TKey key, CancellationToken cancellationToken = default) =>
        NestedRents.BeginAsync(_children.RentAsync(key, cancellationToken));

    /// <summary>Rents a child of a key; waits at most for the given timeout.</summary>
    /// <inheritdoc cref="KeyedResourcePool{TKey, T}.RentAsync(TKey, TimeSpan, CancellationToken)"/>
    public ValueTask<Lease<TChild>> RentAsync(TKey key, TimeSpan timeout, CancellationToken cancellationToken = default) =>
        NestedRents.BeginAsync(_children.RentAsync(key, timeout, cancellationToken));

    /// <summary>Rents a child of a key; blocks for at most <see cref="ResourcePoolOptions.RentTimeout"/>.</summary>
    /// <inheritdoc cref="KeyedResourcePool{TKey, T}.Rent(TKey, CancellationToken)"/>
    public Lease<TChild> Rent(TKey key, CancellationToken cancellationToken = default) =>
        NestedRents.Begin(_children.Rent(key, cancellationToken));

    /// <summary>Rents a child of a key; blocks for at most the given timeout.</summary>
    /// <inheritdoc cref="KeyedResourcePool{TKey, T}.Rent(TKey, TimeSpan, CancellationToken)"/>
    public Lease<TChild> Rent(TKey key, TimeSpan timeout, CancellationToken cancellationToken = default) =>
        NestedRents.Begin(_children.Rent(key, timeout, cancellationToken));

    /// <summary>Rents an idle child of a key if one can be used at once.</summary>
    /// <inheritdoc cref="KeyedResourcePool{TKey, T}.TryRent"/>
    public bool TryRent(TKey key, out Lease<TChild> lease)
    {
        var rented = _children.TryRent(key, out var engineLease);
        lease = rented ? NestedRents.Begin(engineLease) : default;
        return rented;
    }

    /// <summary>
    /// Waits until the given number of children of a key is alive, and creates the missing ones, including parents.
    /// </summary>
    /// <inheritdoc cref="KeyedResourcePool{TKey, T}.WarmUpAsync"/>
    public Task WarmUpAsync(TKey key, int count, CancellationToken cancellationToken = default) =>
        _children.WarmUpAsync(key, count, cancellationToken);

    /// <inheritdoc cref="NestedResourcePool{TParent, TChild}.WarmUpParentsAsync"/>
    public Task WarmUpParentsAsync(int count, CancellationToken cancellationToken = default) =>
        _levels.WarmUpParentsAsync(count, cancellationToken);

    /// <summary>
    /// Changes the number of children that may be alive on all parents together. If it becomes smaller, surplus idle children are
    /// destroyed at once and leased ones as they are returned.
    /// </summary>
    /// <param name="maxSize">1 to 1,000,000, as many as the parents have room for.</param>
    /// <exception cref="ArgumentException">The size is out of range.</exception>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    public void Resize(int maxSize) => Change(current => current.With(options => options.ChildPool.MaxSize = maxSize));

    /// <summary>
    /// Applies new options, either all or none. Operations in progress keep the deadlines with which they started.
    /// </summary>
    /// <param name="options">
    /// All settings. Of the settings of parents and children, those that <see cref="KeyedResourcePool{TKey, T}.Reconfigure"/>
    /// cannot change must be unchanged.
    /// </param>
    /// <exception cref="ArgumentNullException"><paramref name="options"/> is null.</exception>
    /// <exception cref="ArgumentException">
    /// Settings are invalid or cannot be changed; the message names each of them. Nothing was changed.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    public void Reconfigure(KeyedNestedResourcePoolOptions<TKey> options)
    {
        ArgumentNullException.ThrowIfNull(options);
        Change(_ => options);
    }

    /// <summary>
    /// Stops renting until <see cref="Resume"/>: callers of every key wait, and returned children are kept. Parents are kept as
    /// well, and their minimum is restored if one is lost.
    /// </summary>
    public void Suspend() => _children.Suspend();

    /// <summary>Ends a suspension; callers that are already waiting are served first.</summary>
    public void Resume() => _children.Resume();

    /// <inheritdoc cref="NestedResourcePool{TParent, TChild}.Invalidate"/>
    public void Invalidate(Lease<TChild> lease, TimeSpan spread = default) => _levels.Invalidate(lease, spread);

    /// <inheritdoc cref="NestedResourcePool{TParent, TChild}.Clear"/>
    public void Clear(TimeSpan spread = default) => _levels.Clear(spread);

    /// <summary>Replaces the children of one key, but no parent.</summary>
    /// <param name="key">The key. Has no effect if the pool does not know it.</param>
    /// <param name="spread">The time over which the children are replaced; zero (now) to 1 day.</param>
    /// <exception cref="ArgumentNullException"><paramref name="key"/> is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The time is out of range.</exception>
    public void Clear(TKey key, TimeSpan spread = default) => _children.Clear(key, spread);

    /// <inheritdoc cref="NestedResourcePool{TParent, TChild}.Trim"/>
    public int Trim() => _levels.Trim();

    /// <inheritdoc cref="NestedResourcePool{TParent, TChild}.DrainAsync"/>
    public Task DrainAsync(CancellationToken cancellationToken = default) => _levels.DrainAsync().WaitAsync(cancellationToken);

    /// <summary>Reads the combined counters of the children of all keys.</summary>
    /// <returns>The same as <see cref="KeyedResourcePool{TKey, T}.GetStatistics()"/>.</returns>
    public ResourcePoolStatistics GetStatistics() => _children.GetStatistics().AddDoubleReturns(_levels.Owner.DoubleReturns);

    /// <summary>Reads the counters of the children of one key; double returns are only counted for all keys together.</summary>
    /// <inheritdoc cref="KeyedResourcePool{TKey, T}.GetStatistics(TKey)"/>
    public ResourcePoolStatistics? GetStatistics(TKey key) => _children.GetStatistics(key);

    PoolStatistics IPool.GetStatistics() => GetStatistics();

    IReadOnlyList<ServerStatistics<string>> IPool.GetServers() => ((IPool)_levels.Parents).GetServers();

    /// <summary>Describes the pool in one line, for debuggers and logs.</summary>
    /// <returns>Its name and current numbers. The format may change.</returns>
    public override string ToString() => _children.ToString();

    /// <summary>Reads which children are leased, of all keys.</summary>
    /// <inheritdoc cref="KeyedResourcePool{TKey, T}.GetLeases(int)"/>
    public IReadOnlyList<LeaseSnapshot> GetLeases(int max) => _children.GetLeases(max);

    /// <summary>Reads which children of one key are leased.</summary>
    /// <inheritdoc cref="KeyedResourcePool{TKey, T}.GetLeases(TKey, int)"/>
    public IReadOnlyList<LeaseSnapshot> GetLeases(TKey key, int max) => _children.GetLeases(key, max);

    /// <inheritdoc cref="NestedResourcePool{TParent, TChild}.GetParentStatistics"/>
    public ResourcePoolStatistics GetParentStatistics() => _levels.Parents.GetItemStatistics();

    /// <inheritdoc cref="NestedResourcePool{TParent, TChild}.GetChildCounts"/>
    public IReadOnlyList<int> GetChildCounts() => _levels.Parents.GetUses();

    /// <inheritdoc cref="NestedResourcePool{TParent, TChild}.Dispose"/>
    public void Dispose() => _levels.Close();

    /// <inheritdoc cref="NestedResourcePool{TParent, TChild}.DisposeAsync"/>
    public ValueTask DisposeAsync() => _levels.CloseAsync();

    private void Change(Func<KeyedNestedResourcePoolOptions<TKey>, KeyedNestedResourcePoolOptions<TKey>> change) =>
        _levels.Change(
            ref _options, current => change(current).FreezeChange(current),
            options => _children.ApplyValidated(options.ChildPool));
}
