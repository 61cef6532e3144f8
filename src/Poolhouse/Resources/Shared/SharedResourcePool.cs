using System.Diagnostics;
using Poolhouse.Kernel;
using Poolhouse.Kernel.Debugging;
using Poolhouse.Kernel.Leases;
using Poolhouse.Kernel.Time;
using Poolhouse.Resources.Engine;
using Poolhouse.Resources.Engine.Core;
using Poolhouse.Resources.Engine.Items;
using Poolhouse.Resources.Engine.PolicyCalls;
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
/// <see cref="SharedResourcePoolOptions.MaxUsesPerItem"/> of them; callers beyond that wait in order of arrival. If several
/// of them can proceed at once, after <see cref="Resume"/> or while the pool starts, and must then wait for an item with room,
/// their order may change. The pool starts with one item and creates more as they fill up. An item that is broken, too old or
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
    private readonly ResourcePool<T> _items;
    private readonly ResourcePool<SharedUse<T>> _uses;
    private readonly SharedItemSet<T> _itemSet;
    private readonly PoolClock _clock;
    private readonly SharedItemWaits<T> _waits;
    private readonly SharedUsesAhead<T> _usesAhead;
    private readonly ReporterRegistration? _registration;
    private readonly SharedUseOwner<T> _owner;
    private readonly bool _isPart;

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
        : this(policy, options, retired: null)
    {
    }

    /// <summary>
    /// Creates a pool that is a part of another one. The callback is called, on any thread and under no lock, when an item has
    /// stopped taking uses.
    /// </summary>
    internal SharedResourcePool(ResourcePolicy<T> policy, SharedResourcePoolOptions options, Action? retired)
    {
        ArgumentNullException.ThrowIfNull(policy);
        ArgumentNullException.ThrowIfNull(options);
        _options = options.Freeze();
        Name = _options.Pool.Name ?? PoolNames.For(typeof(T));
        _isPart = retired is not null;
        var work = new TrackingScheduler(_options.Pool.Scheduler);
        _items = new ResourcePool<T>(policy, SharedPoolParts.ForItems(_options.Pool, ItemsName, work));

        // Exceptions name the pool that the app knows.
        _items.Runtime.Name = Name;
        _clock = _items.Runtime.Clock;
        _itemSet = new SharedItemSet<T>(Name, _items, policy, _options, retired);
        _owner = new SharedUseOwner<T>(Name, _itemSet, _clock);
        _uses = new ResourcePool<SharedUse<T>>(
            new SharedUsePolicy<T>(_owner, _options.Pool.TimeProvider),
            SharedPoolParts.ForUses(_options, Name, _isPart),
            share: null,
            reportedAs: this);
        _uses.Runtime.Limit = SharedPoolParts.LimitOf(_options, _isPart);
        _waits = new SharedItemWaits<T>(_itemSet, _items.Runtime, _uses.Runtime, work);
        _usesAhead = new SharedUsesAhead<T>(_uses);
        if (!_isPart)
        {
            _registration = new ReporterRegistration(_options.Pool.EffectiveReporter, this);
        }
    }

    /// <inheritdoc/>
    public string Name { get; }

    internal SharedItemSet<T> ItemSet => _itemSet;

    /// <summary>The slots for uses: the engine that callers rent from.</summary>
    internal ResourcePool<SharedUse<T>> Uses => _uses;

    /// <summary>Begins a use; waits at most for <see cref="ResourcePoolOptions.RentTimeout"/>.</summary>
    /// <inheritdoc cref="ResourcePool{T}.RentAsync(CancellationToken)"/>
    public ValueTask<Lease<T>> RentAsync(CancellationToken cancellationToken = default) =>
        RentAsync(Options.Pool.RentTimeout, cancellationToken);

    /// <summary>Begins a use; waits at most for the given timeout.</summary>
    /// <inheritdoc cref="ResourcePool{T}.RentAsync(TimeSpan, CancellationToken)"/>
    public ValueTask<Lease<T>> RentAsync(TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        var permit = _uses.RentAsync(timeout, cancellationToken);
#pragma warning disable VSTHRD103 // It has completed.
        return permit.IsCompletedSuccessfully && _itemSet.TryEnter(out var member)
            ? new ValueTask<Lease<T>>(Begin(permit.Result, member))
            : RentSlowAsync(permit, timeout, cancellationToken);
#pragma warning restore VSTHRD103
    }

    /// <summary>
    /// Begins a use; blocks for at most <see cref="ResourcePoolOptions.RentTimeout"/>. Use it only in code that cannot await.
    /// </summary>
    /// <inheritdoc cref="ResourcePool{T}.Rent(CancellationToken)"/>
    public Lease<T> Rent(CancellationToken cancellationToken = default) => Rent(Options.Pool.RentTimeout, cancellationToken);

    /// <summary>Begins a use; blocks for at most the given timeout. Use it only in code that cannot await.</summary>
    /// <inheritdoc cref="ResourcePool{T}.Rent(TimeSpan, CancellationToken)"/>
    public Lease<T> Rent(TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        var started = _clock.Now;
        var permit = RentUse(timeout, cancellationToken);
        try
        {
            return Begin(
                permit, _itemSet.TryEnter(out var member) ? member : _waits.Wait(permit, started, timeout, cancellationToken));
        }
        catch
        {
            permit.Dispose();
            throw;
        }
    }

    /// <summary>Begins a use if an item has room for it.</summary>
    /// <param name="lease">The lease, or one that has ended.</param>
    /// <returns>
    /// False if callers are waiting, if the pool is suspended, if all items are full, or if there is no item yet: one is then
    /// created. Also while the pool creates more of the slots that count uses: it has 16 at first, and when none is left, the
    /// call fails and the number is doubled.
    /// </returns>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    public bool TryRent(out Lease<T> lease)
    {
        lease = default;
        if (!_uses.TryRent(out var permit))
        {
            _usesAhead.Add();
            return false;
        }

        if (_itemSet.TryEnter(out var member))
        {
            lease = Begin(permit, member);
            return true;
        }

        // Callers that wait have had an item created if they need one.
        if (!_itemSet.Callers.Exist)
        {
            _itemSet.StartGrowing();
        }

        _waits.Reject(permit);
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
        use.Taint();
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
            await _items.WarmUpAsync(count, cancellationToken).ConfigureAwait(false);
        }
        catch (ObjectDisposedException) when (_itemSet.IsClosed)
        {
            // With the name of this pool, not of the one inside it.
            throw RentErrors.Closed(Name);
        }

        _items.Runtime.Core.CountCallersBehind(1, _clock.Now);
        try
        {
            while (_itemSet.Grow(count) is { } growth)
            {
                await growth.Task.WaitAsync(cancellationToken).ConfigureAwait(false);
            }
        }
        finally
        {
            _items.Runtime.Core.CountCallersBehind(-1, _clock.Now);
        }
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
    public void Resize(int maxSize)
    {
        ThrowIfClosed();
        Change(current =>
        {
            var options = current.Copy();
            options.Pool.MaxSize = maxSize;
            return options.FreezeChange(current);
        });
    }

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
        ThrowIfClosed();
        Change(options.FreezeChange);
    }

    /// <summary>
    /// Stops renting until <see cref="Resume"/>: callers wait, except those that have a slot and wait only for room in an item.
    /// Uses in progress continue.
    /// </summary>
    public void Suspend() => _uses.Suspend();

    /// <summary>Ends a suspension; callers that are already waiting are served first.</summary>
    public void Resume() => _uses.Resume();

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
        RentErrors.ThrowIfForeign(lease, _owner);

        // Read before the check: if the lease is still active afterwards, the item was this lease's.
        if (lease.Slot is SharedUse<T> { SharedItem: { } member } && lease.IsActive)
        {
            lease.Taint();
            _itemSet.Invalidate(member, spread);
        }
    }

    /// <summary>Destroys the items that have no use at the moment; the pool refills later.</summary>
    /// <returns>The number of items to be destroyed.</returns>
    public int Trim()
    {
        // Destroyed and not returned to the engine, which would keep an item that must be reset first.
        var trimmed = _itemSet.RetireAll(static member => member.Uses == 0, DestroyReason.Trimmed) + _items.Trim();

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
    public SharedResourcePoolStatistics GetStatistics() => _waits.GetStatistics(_owner.DoubleReturns);

    /// <inheritdoc/>
    /// <remarks>One for each use of an item: an item that several callers use at once is listed several times.</remarks>
    public IReadOnlyList<LeaseSnapshot> GetLeases(int max)
    {
        var uses = _uses.Runtime;
        return LeaseReader.Read(uses.Core.Readings.ListEntries(), max, uses.Clock, static entry => entry.Item?.ItemNumber);
    }

    PoolStatistics IPool.GetStatistics() => GetStatistics();

    /// <summary>Describes the pool in one line, for debuggers and logs.</summary>
    /// <returns>Its name and current numbers. The format may change.</returns>
    public override string ToString() => GetStatistics().Summarize(Name);

    /// <summary>Reads the counters of the items: created, alive, and destroyed by reason.</summary>
    /// <returns>An immutable snapshot in which every active item is leased.</returns>
    public ResourcePoolStatistics GetItemStatistics() => _items.GetStatistics();

    /// <summary>Reads the number of uses of each active item.</summary>
    /// <returns>One number per item; off by the rents and returns in progress.</returns>
    public IReadOnlyList<int> GetUses() => [.. _itemSet.Members.Select(member => member.Uses)];

    /// <summary>
    /// Closes the pool: waits end with <see cref="ObjectDisposedException"/>, unused items are destroyed in the background.
    /// </summary>
    /// <remarks>Leases remain active; items are destroyed as their last uses end. Repeated calls have no effect.</remarks>
    public void Dispose()
    {
        _uses.Dispose();
        _itemSet.Dispose();
        _items.Dispose();
        _registration?.End();
    }

    /// <summary>
    /// Does the same as <see cref="Dispose"/>, and waits until unused items and those in transition are destroyed, each within
    /// its deadline.
    /// </summary>
    /// <returns>A task that completes when these items are destroyed. It does not wait for leases.</returns>
    public async ValueTask DisposeAsync()
    {
        // First, as in Dispose: waits end at once.
        _uses.Dispose();
        _itemSet.Dispose();
        await _uses.DisposeAsync().ConfigureAwait(false);

        // An item that is becoming active, or is held by a probe, is leased, and the engine does not wait for leases: so this
        // comes before the engine.
        await _itemSet.WhenQuiescentAsync().ConfigureAwait(false);
        await _items.DisposeAsync().ConfigureAwait(false);
        _registration?.End();
    }

    // A caller that stops waiting does not end the draining; draining the items is its second part.
    private async Task DrainAllAsync()
    {
        await _uses.DrainAsync(CancellationToken.None).ConfigureAwait(false);
        _itemSet.Dispose();
        await _items.DrainAsync(CancellationToken.None).ConfigureAwait(false);
        _registration?.End();
    }

    private SharedResourcePoolOptions Options => Volatile.Read(ref _options);

    private string ItemsName => _isPart ? Name : Name + "-items";

    /// <summary>
    /// Applies settings that were validated by the pool of which this one is a part; has no effect once this pool is closed.
    /// </summary>
    /// <param name="options">The settings.</param>
    /// <param name="surplus">Receives what the caller passes to <see cref="SharedItemSet{T}.EndChange"/>.</param>
    internal void ApplyValidated(SharedResourcePoolOptions options, ref SharedItem<T>[]? surplus)
    {
        lock (_changing)
        {
            var current = Options;
            var merged = options.Copy();
            merged.Pool = merged.Pool.CopyOver(current.Pool);
            Apply(merged, ref surplus);
        }
    }

    private void Change(Func<SharedResourcePoolOptions, SharedResourcePoolOptions> change)
    {
        SharedItem<T>[]? surplus = null;
        try
        {
            lock (_changing)
            {
                Apply(change(Options), ref surplus);
            }
        }
        finally
        {
            // Not under the lock, because it calls the policy.
            _itemSet.EndChange(surplus);
        }
    }

    // Uses that become possible are assigned to items that may be created by then, and surplus items take no new uses before
    // their capacity is reduced. They are retired afterwards, and destroyed if they exceed the capacity then.
    private void Apply(SharedResourcePoolOptions options, ref SharedItem<T>[]? surplus)
    {
        Volatile.Write(ref _options, options);
        var grows = options.Pool.MaxSize > _items.Runtime.Settings.MaxSize;
        if (grows)
        {
            _items.ApplyValidated(SharedPoolParts.ForItems(options.Pool, ItemsName, _items.Runtime.Scheduler));
        }

        _itemSet.Reconfigure(options, ref surplus);
        if (!grows)
        {
            _items.ApplyValidated(SharedPoolParts.ForItems(options.Pool, ItemsName, _items.Runtime.Scheduler));
        }

        _uses.ApplyValidated(SharedPoolParts.ForUses(options, Name, _isPart));
        _uses.Runtime.Limit = SharedPoolParts.LimitOf(options, _isPart);
    }

    private void ThrowIfClosed()
    {
        if (!_uses.Runtime.Core.IsOpen)
        {
            throw RentErrors.Closed(Name);
        }
    }

    private Lease<SharedUse<T>> RentUse(TimeSpan timeout, CancellationToken cancellationToken)
    {
        try
        {
            return _uses.Rent(timeout, cancellationToken);
        }
        catch (PoolTimeoutException) when (timeout == TimeSpan.Zero)
        {
            _usesAhead.Add();
            throw;
        }
    }

    private static Lease<T> Begin(Lease<SharedUse<T>> permit, SharedItem<T> member) => permit.Value.Begin(permit, member);

    private async ValueTask<Lease<T>> RentSlowAsync(
        ValueTask<Lease<SharedUse<T>>> rent, TimeSpan timeout, CancellationToken cancellationToken)
    {
        var started = _clock.Now;
        if (timeout == TimeSpan.Zero && rent.IsFaulted)
        {
            _usesAhead.Add();
        }

        var permit = await rent.ConfigureAwait(false);
        try
        {
            return Begin(permit, _itemSet.TryEnter(out var member) ? member
                : await _waits.WaitAsync(permit, started, timeout, cancellationToken).ConfigureAwait(false));
        }
        catch
        {
            await permit.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }
}
