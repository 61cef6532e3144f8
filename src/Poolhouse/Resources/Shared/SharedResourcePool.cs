using System.Diagnostics;
using System.Runtime.CompilerServices;
using Poolhouse.Resources.Engine;
using Poolhouse.Resources.Engine.Core;
using Poolhouse.Resources.Engine.Items;
using Poolhouse.Resources.Engine.Waiting;
using Poolhouse.Resources.Shared;

namespace Poolhouse;

/// <summary>
/// A pool of a few items that many callers use at the same time: multiplexing clients such as gRPC channels and Redis
/// connections.
/// </summary>
/// <typeparam name="T">The type of the item. It must be safe for use by several callers at once.</typeparam>
/// <remarks>
/// <para>
/// A lease of this pool is not exclusive: it counts one use. Each new use is assigned to one of the items
/// (<see cref="SharedResourcePoolOptions.Selection"/>), which takes at most
/// <see cref="SharedResourcePoolOptions.MaxUsesPerItem"/> of them; callers beyond that wait in order of arrival. The pool starts
/// with one item and creates more as they fill up. An item that is broken, too old or
/// cleared takes no new uses and is destroyed when its last use has ended.
/// </para>
/// <para>
/// <see cref="Lease{T}.Taint"/> has the item probed (the policy's KeepAliveAsync), <see cref="Lease{T}.Discard"/> replaces
/// it; neither ends the uses of others. <see cref="Lease{T}.Detach"/> removes it from the pool and transfers ownership to the
/// caller; others may still be using it.
/// </para>
/// <para>
/// Thread safe. Disposing the pool ends the waits; leases remain active, and each item is destroyed when its last lease ends.
/// </para>
/// </remarks>
[DebuggerDisplay("{ToString(),nq}")]
[DebuggerTypeProxy(typeof(PoolDebugView))]
public sealed class SharedResourcePool<T> : IPool, IAsyncDisposable, IDisposable
    where T : notnull
{
    private readonly ResourcePool<T> _itemPool;
    private readonly SharedItemSet<T> _itemSet;
    private readonly SharedRents<T> _rents;
    private readonly SharedReturns<T> _returns;
    private readonly PoolClock _clock;
    private readonly ReporterRegistration? _registration;
    private readonly bool _isPart;
    private bool _recordsCallers;

    // Held while a change is applied to the items and the uses, so that two changes reach both in the same order.
    private readonly Lock _changing = new();
    private SharedResourcePoolOptions _options;

    /// <summary>
    /// Creates a pool. If <see cref="ResourcePoolOptions.MinIdle"/> is set, the pool starts to fill in the background.
    /// </summary>
    /// <param name="policy">How items are created, kept alive and destroyed.</param>
    /// <param name="options">The settings; copied.</param>
    /// <exception cref="ArgumentNullException"><paramref name="policy"/> or <paramref name="options"/> is null.</exception>
    /// <exception cref="ArgumentException">Settings are invalid; the message names each of them.</exception>
    public SharedResourcePool(ResourcePolicy<T> policy, SharedResourcePoolOptions options)
        : this(policy, options, deactivated: null)
    {
    }

    /// <summary>
    /// Creates a pool that is a part of another one. The callback is called, on any thread and under no lock, when an item has
    /// stopped taking uses.
    /// </summary>
    internal SharedResourcePool(ResourcePolicy<T> policy, SharedResourcePoolOptions options, Action? deactivated)
    {
        ArgumentNullException.ThrowIfNull(policy);
        ArgumentNullException.ThrowIfNull(options);
        _options = options.Freeze();
        Name = _options.Pool.Name ?? PoolNames.For(typeof(T));
        _isPart = deactivated is not null;
        var reporter = _isPart ? SilentReporter.Instance : _options.Pool.EffectiveReporter;
        var clock = new PoolClock(_options.Pool.TimeProvider);
        var queue = new CallerQueue<SharedItem<T>>(CoDelController.Of(_options.Pool.Overload, clock), clock.Lag);
        _itemPool = new ResourcePool<T>(policy, ForItems(_options.Pool), share: null, reportedAs: null, outerQueue: queue);

        // Exceptions name the pool that the app knows.
        _itemPool.Runtime.Name = Name;
        _clock = _itemPool.Runtime.Clock;
        _itemSet = new SharedItemSet<T>(Name, _itemPool, policy, _options, queue, deactivated);
        var events = new PoolEvents<T>(_itemPool.Runtime, this, reporter, isObserved: !_isPart);
        _returns = new SharedReturns<T>(Name, _itemSet, _clock, events, ResourceRuntime<T>.CellCount(_itemSet.Settings.MaxUses));
        _rents = new SharedRents<T>(_itemSet, _returns.Uses, _itemPool.Runtime, events);
        new SharedUpkeep<T>(_itemSet, _itemPool.Runtime, _rents).Begin();
        _recordsCallers = _options.Pool.RecordsCallers;
        if (!_isPart)
        {
            _registration = new ReporterRegistration(_options.Pool.EffectiveReporter, this);
        }
    }

    /// <inheritdoc/>
    public string Name { get; }

    internal SharedItemSet<T> ItemSet => _itemSet;

    internal ResourcePolicy<T> Policy => _itemPool.Runtime.Policy;

    /// <summary>Begins a use; waits at most for <see cref="ResourcePoolOptions.RentTimeout"/>.</summary>
    /// <inheritdoc cref="ResourcePool{T}.RentAsync(CancellationToken)"/>
    public ValueTask<Lease<T>> RentAsync(CancellationToken cancellationToken = default) =>
        !_recordsCallers && !cancellationToken.IsCancellationRequested && _rents.TryRent(trace: null, out var lease)
            ? new ValueTask<Lease<T>>(lease)
            : RentSlowAsync(_itemSet.Settings.RentTimeout, cancellationToken);

    /// <summary>Begins a use; waits at most for the given timeout.</summary>
    /// <inheritdoc cref="ResourcePool{T}.RentAsync(TimeSpan, CancellationToken)"/>
    public ValueTask<Lease<T>> RentAsync(TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        ResourcePool<T>.ThrowIfOutOfRange(timeout);
        return !_recordsCallers && !cancellationToken.IsCancellationRequested && _rents.TryRent(trace: null, out var lease)
            ? new ValueTask<Lease<T>>(lease)
            : RentSlowAsync(_clock.Ticks(timeout), cancellationToken);
    }

    /// <summary>
    /// Begins a use; blocks for at most <see cref="ResourcePoolOptions.RentTimeout"/>. Use it only in code that cannot await.
    /// </summary>
    /// <inheritdoc cref="ResourcePool{T}.Rent(CancellationToken)"/>
    public Lease<T> Rent(CancellationToken cancellationToken = default) =>
        !_recordsCallers && !cancellationToken.IsCancellationRequested && _rents.TryRent(trace: null, out var lease)
            ? lease
            : RentSlow(_itemSet.Settings.RentTimeout, cancellationToken);

    /// <summary>Begins a use; blocks for at most the given timeout. Use it only in code that cannot await.</summary>
    /// <inheritdoc cref="ResourcePool{T}.Rent(TimeSpan, CancellationToken)"/>
    public Lease<T> Rent(TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        ResourcePool<T>.ThrowIfOutOfRange(timeout);
        return !_recordsCallers && !cancellationToken.IsCancellationRequested && _rents.TryRent(trace: null, out var lease)
            ? lease
            : RentSlow(_clock.Ticks(timeout), cancellationToken);
    }

    /// <summary>Begins a use if an item has room for it.</summary>
    /// <param name="lease">The lease, or one that has ended.</param>
    /// <returns>
    /// False if callers are waiting, if the pool is suspended, if all items are full, or if there is no item yet. If another item
    /// may be created, it is created in the background.
    /// </returns>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    public bool TryRent(out Lease<T> lease)
    {
        if (_recordsCallers ? _rents.TryRent(Trace(), out lease) : _rents.TryRent(trace: null, out lease))
        {
            return true;
        }

        ThrowIfClosed();
        _rents.CreateAhead();
        return false;
    }

    /// <summary>
    /// Ends a use for which the item turned out to have no room: the item takes no more until another of its uses ends.
    /// </summary>
    /// <returns>False if this is the item's only use, which then continues.</returns>
    internal bool TryEndAsFull(Lease<T> use)
    {
        var slot = (SharedUse<T>)use.Slot!;
        if (!slot.SharedItem!.TryLeaveAsFull(_clock.Coarse))
        {
            return false;
        }

        slot.HasLeft = true;
        use.Dispose();
        return true;
    }

    /// <summary>Creates items ahead of demand.</summary>
    /// <param name="count">The number of active items to reach; 0 to <see cref="SharedResourcePoolOptions.MaxActive"/>.</param>
    /// <param name="cancellationToken">Ends this wait.</param>
    /// <returns>A task that completes when the items are active.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="count"/> is out of range.</exception>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    public async Task WarmUpAsync(int count, CancellationToken cancellationToken = default)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        var options = Options;
        ArgumentOutOfRangeException.ThrowIfGreaterThan(count, options.MaxActive ?? options.Pool.MaxSize);
        ThrowIfClosed();

        try
        {
            // Together; below they become active one by one.
            await _itemPool.WarmUpAsync(count, cancellationToken).ConfigureAwait(false);
        }
        catch (ObjectDisposedException) when (_itemSet.IsClosed)
        {
            // With the name of this pool, not of the one inside it.
            throw RentErrors.Closed(Name);
        }

        await _itemSet.WarmUpAsync(count, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// Changes the <see cref="ResourcePoolOptions.MaxSize"/> of the items. If it becomes smaller, the items with the fewest uses
    /// take no new ones, and are destroyed when their last uses end.
    /// </summary>
    /// <param name="maxSize">
    /// <see cref="SharedResourcePoolOptions.MaxActive"/> and <see cref="ResourcePoolOptions.MinIdle"/> (at least 1) to 1,000,000
    /// divided by <see cref="SharedResourcePoolOptions.MaxUsesPerItem"/>.
    /// </param>
    /// <exception cref="ArgumentException">The size is out of range.</exception>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    public void Resize(int maxSize) => Change(current => current.With(options => options.Pool.MaxSize = maxSize));

    /// <summary>
    /// Applies new options, either all or none. Uses in progress continue, and operations keep the deadlines with which they
    /// started.
    /// </summary>
    /// <param name="options">
    /// All settings. The settings of the items that <see cref="ResourcePool{T}.Reconfigure"/> cannot change must be unchanged.
    /// </param>
    /// <exception cref="ArgumentNullException"><paramref name="options"/> is null.</exception>
    /// <exception cref="ArgumentException">
    /// Settings are invalid or cannot be changed; the message names each of them. Nothing was changed.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    public void Reconfigure(SharedResourcePoolOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        Change(_ => options);
    }

    /// <summary>
    /// Stops renting until <see cref="Resume"/>: callers wait. Uses in progress continue.
    /// </summary>
    public void Suspend() => _itemSet.Room.Suspend();

    /// <summary>Ends a suspension; callers that are already waiting are served first.</summary>
    public void Resume() => _itemSet.Room.Resume();

    /// <summary>Replaces every item: none takes a new use, and each is destroyed when its last use ends.</summary>
    /// <param name="spread">
    /// The time over which the items are replaced, each at a random moment, so that they are not all replaced at once; zero (now)
    /// to 1 day.
    /// </param>
    /// <exception cref="ArgumentOutOfRangeException">The time is out of range.</exception>
    public void Clear(TimeSpan spread = default)
    {
        Spread.ThrowIfOutOfRange(spread);
        _itemSet.Clear(spread, since: int.MaxValue);
    }

    /// <summary>
    /// Reports a fatal error on an item, such as a server restart, that probably affects the other items as well: the item takes
    /// no new uses and is destroyed when its last use ends, and the others are replaced as by <see cref="Clear"/>, unless that
    /// has happened since the item was created; those that stay meanwhile are probed (the policy's KeepAliveAsync). The lease is
    /// tainted and remains active.
    /// </summary>
    /// <param name="lease">A lease of this pool. Has no effect if it has ended.</param>
    /// <param name="spread">The time over which the other items are replaced; zero (now) to 1 day.</param>
    /// <exception cref="ArgumentException">The lease belongs to another pool.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The time is out of range.</exception>
    public void Invalidate(Lease<T> lease, TimeSpan spread = default)
    {
        Spread.ThrowIfOutOfRange(spread);
        RentErrors.ThrowIfForeign(lease, _returns);

        // Read before the check: if the lease is still active afterwards, the item was this lease's.
        if (lease.Slot is SharedUse<T> { SharedItem: { } item } && lease.IsActive)
        {
            lease.Taint();
            _itemSet.Invalidate(item, spread);
        }
    }

    /// <summary>Destroys the items that have no use at the moment; the pool refills later.</summary>
    /// <returns>The number of items to be destroyed.</returns>
    public int Trim()
    {
        // Destroyed and not returned to the engine, which would keep an item that must be reset first.
        var trimmed = _itemSet.DeactivateAll(static item => item.Uses == 0, DestroyReason.Trimmed) + _itemPool.Trim();

        // Not earlier: trimmed items would become active again.
        _itemSet.KeepMinimum();
        return trimmed;
    }

    /// <summary>
    /// Closes the pool gracefully: new callers are rejected, waiting ones are still served, and the items are destroyed when all
    /// uses have ended.
    /// </summary>
    /// <param name="cancellationToken">Ends this wait, not the draining; <see cref="Dispose"/> speeds it up.</param>
    /// <returns>A task that completes when no item is alive any more.</returns>
    public Task DrainAsync(CancellationToken cancellationToken = default) => DrainAllAsync().WaitAsync(cancellationToken);

    /// <summary>Reads the counters of the uses: rents, waits, uses in progress.</summary>
    /// <returns>
    /// An immutable snapshot; <see cref="SharedResourcePoolStatistics.Items"/> has the counters of the items.
    /// </returns>
    public SharedResourcePoolStatistics GetStatistics() => _rents.GetStatistics();

    /// <inheritdoc/>
    /// <remarks>One for each use of an item: an item that several callers use at once is listed several times.</remarks>
    public IReadOnlyList<LeaseSnapshot> GetLeases(int max) => _rents.GetLeases(max);

    PoolStatistics IPool.GetStatistics() => GetStatistics();

    IReadOnlyList<ServerStatistics<string>> IPool.GetServers() => ((IPool)_itemPool).GetServers();

    /// <summary>Describes the pool in one line, for debuggers and logs.</summary>
    /// <returns>Its name and current numbers. The format may change.</returns>
    public override string ToString() => GetStatistics().Summarize(Name);

    /// <summary>Reads the counters of the items: created, alive, and destroyed by reason.</summary>
    /// <returns>An immutable snapshot in which every active item is leased.</returns>
    public ResourcePoolStatistics GetItemStatistics() => _itemPool.GetStatistics();

    /// <summary>Reads the number of uses of each active item.</summary>
    /// <returns>One number per item; off by the rents and returns in progress.</returns>
    public IReadOnlyList<int> GetUses() => [.. _itemSet.Items.Select(item => item.Uses)];

    /// <summary>
    /// Closes the pool: waits end with <see cref="ObjectDisposedException"/>, unused items are destroyed in the background.
    /// </summary>
    /// <remarks>Leases remain active; items are destroyed as their last uses end. Repeated calls have no effect.</remarks>
    public void Dispose()
    {
        _itemSet.Room.Close(drain: false);
        _itemSet.Dispose();
        _itemPool.Dispose();
        _registration?.End();
    }

    /// <summary>
    /// Does the same as <see cref="Dispose"/>, and waits until unused items and those in transition are destroyed, each within
    /// its deadline.
    /// </summary>
    /// <returns>A task that completes when these items are destroyed. It does not wait for leases.</returns>
    public async ValueTask DisposeAsync()
    {
        Dispose();

        // An item that is becoming active, or is held by a probe, is leased, and the engine does not wait for leases: so this
        // wait comes before that for the engine.
        await _itemSet.WhenQuiescentAsync().ConfigureAwait(false);
        await _itemPool.DisposeAsync().ConfigureAwait(false);
    }

    // A caller that stops waiting does not end the draining. An item is leased from the engine until its last use has ended.
    private async Task DrainAllAsync()
    {
        _itemSet.Room.Close(drain: true);
        await _itemSet.Room.WhenEmptyAsync().ConfigureAwait(false);
        _itemSet.Dispose();
        await _itemPool.DrainAsync(CancellationToken.None).ConfigureAwait(false);
        _registration?.End();
    }

    private SharedResourcePoolOptions Options => Volatile.Read(ref _options);

    /// <summary>
    /// Applies settings that were validated by the pool of which this one is a part; has no effect once this pool is closed. The
    /// caller then calls <see cref="SharedItemSet{T}.EndChange"/>, under no lock.
    /// </summary>
    internal void ApplyValidated(SharedResourcePoolOptions options)
    {
        lock (_changing)
        {
            Apply(options.CopyOver(Options));
        }
    }

    private void Change(Func<SharedResourcePoolOptions, SharedResourcePoolOptions> change)
    {
        ThrowIfClosed();
        lock (_changing)
        {
            Apply(change(Options).FreezeChange(Options));
        }

        // Not under the lock, because it calls the policy.
        _itemSet.EndChange();
    }

    // Uses that become possible are assigned to items that may be created by then. Surplus items are deactivated afterwards, and
    // destroyed if they exceed the capacity then.
    private void Apply(SharedResourcePoolOptions options)
    {
        Volatile.Write(ref _options, options);
        var grows = options.Pool.MaxSize > _itemPool.Runtime.Settings.MaxSize;
        if (grows)
        {
            _itemPool.ApplyValidated(ForItems(options.Pool));
        }

        _itemSet.Reconfigure(options);
        if (!grows)
        {
            _itemPool.ApplyValidated(ForItems(options.Pool));
        }

        Volatile.Write(ref _recordsCallers, options.Pool.RecordsCallers);
        _itemSet.Room.Reconfigure(CoDelController.Of(options.Pool.Overload, _clock));
    }

    // The items are leased for a long time; the item set retains and probes them, and its queue has the callers.
    private ResourcePoolOptions ForItems(ResourcePoolOptions options)
    {
        var items = options.CopyForInnerPool(_isPart ? Name : Name + "-items");
        items.MinIdle = 0;
        items.KeepAliveInterval = Timeout.InfiniteTimeSpan;

        // Each caller has a limit of its own (SharedRoom); only zero is one for the creation.
        items.OutageTimeout = options.OutageTimeout == TimeSpan.Zero ? TimeSpan.Zero : Timeout.InfiniteTimeSpan;
        return items;
    }

    private void ThrowIfClosed()
    {
        if (!_itemSet.Room.IsOpen)
        {
            throw RentErrors.Closed(Name);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private ValueTask<Lease<T>> RentSlowAsync(long timeout, CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<Lease<T>>(cancellationToken);
        }

        var trace = Prepare();
        return _rents.TryRent(trace, out var lease) ? new ValueTask<Lease<T>>(lease)
            : timeout == 0 && _itemSet.Room.IsOpen ? ValueTask.FromException<Lease<T>>(_rents.NoTimeToWait(trace))
            : _rents.WaitAsync(stale: null, trace, timeout, cancellationToken);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private Lease<T> RentSlow(long timeout, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        var trace = Prepare();
        return _rents.TryRent(trace, out var lease) ? lease
            : timeout == 0 && _itemSet.Room.IsOpen ? throw _rents.NoTimeToWait(trace)
            : _rents.Wait(stale: null, trace, timeout, cancellationToken);
    }

    /// <summary>Allocates what the thread and the caller need.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private LeaseTrace? Prepare()
    {
        ThreadIndex.GetOrAssign();
        return Trace();
    }

    // Not inlined, so that the trace begins with the caller's frame or the pool's public method.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private LeaseTrace? Trace() => _recordsCallers ? LeaseTrace.Capture(Options.Pool.TrackLeases) : null;
}
