using Poolhouse.Resources.Engine;
using Poolhouse.Resources.Engine.Items;

namespace Poolhouse;

/// <content>Operations: warm up, resize, clear, trim, suspend, drain, dispose.</content>
public sealed partial class ResourcePool<T>
{
    /// <summary>
    /// Waits until the given number of items is alive, and creates the missing ones, at most
    /// <see cref="ResourcePoolOptions.MaxConcurrentCreates"/> at once.
    /// </summary>
    /// <param name="count">The number of items; 0 to <see cref="ResourcePoolOptions.MaxSize"/>.</param>
    /// <param name="cancellationToken">Ends the wait; creations in progress continue.</param>
    /// <returns>
    /// A task that completes when the items are alive. It fails with the policy's own exception as soon as one cannot be created,
    /// without waiting for <see cref="ResourcePoolOptions.OutageTimeout"/>: what an app does about that when it starts depends on
    /// the cause.
    /// </returns>
    /// <exception cref="ArgumentOutOfRangeException">The count is out of range.</exception>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    public Task WarmUpAsync(int count, CancellationToken cancellationToken = default)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(count, _runtime.Settings.Options.MaxSize);
        ThrowIfClosed();
        return cancellationToken.IsCancellationRequested
            ? Task.FromCanceled(cancellationToken)
            : _runtime.WarmUps.WaitAsync(count, cancellationToken);
    }

    /// <summary>
    /// Changes <see cref="ResourcePoolOptions.MaxSize"/>. A smaller pool destroys idle items at once and leased ones as they are
    /// returned.
    /// </summary>
    /// <param name="maxSize"><see cref="ResourcePoolOptions.MinIdle"/> (at least 1) to 1,000,000.</param>
    /// <exception cref="ArgumentException">The size is out of range.</exception>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    public void Resize(int maxSize) => Change(current => current.With(options => options.MaxSize = maxSize));

    /// <summary>
    /// Applies new options, either all or none. Operations in progress keep the deadlines with which they started.
    /// </summary>
    /// <remarks>
    /// A shorter <see cref="ResourcePoolOptions.MaxLifetime"/> applies to the age of live items: those that are older are
    /// destroyed at once, or when they are returned. A longer one applies only to new items.
    /// </remarks>
    /// <param name="options">
    /// All settings. <see cref="ResourcePoolOptions.Name"/>, <see cref="ResourcePoolOptions.TimeProvider"/>,
    /// <see cref="ResourcePoolOptions.IdleOrder"/> and the meter must be unchanged.
    /// </param>
    /// <exception cref="ArgumentNullException"><paramref name="options"/> is null.</exception>
    /// <exception cref="ArgumentException">
    /// Settings are invalid or cannot be changed; the message names each of them. Nothing was changed.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    public void Reconfigure(ResourcePoolOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        Change(_ => options);
    }

    /// <summary>
    /// Lets every live item expire: idle ones are destroyed, leased ones when they are returned, and those whose creation is in
    /// progress when it succeeds. Creations that begin from now on are not affected.
    /// </summary>
    /// <param name="spread">
    /// The time over which the items expire, each at a random moment, so that they are not all replaced at once; zero (now)
    /// to 1 day.
    /// </param>
    /// <exception cref="ArgumentOutOfRangeException">The time is out of range.</exception>
    /// <remarks>Call it after credentials were rotated or after a failover.</remarks>
    public void Clear(TimeSpan spread = default)
    {
        Spread.ThrowIfOutOfRange(spread);
        _runtime.Core.Operators.Clear(_runtime.Clock.Ticks(spread), since: int.MaxValue, _runtime.Clock.Now);
    }

    /// <summary>
    /// Reports a fatal error on an item, such as a server restart, that probably affects the other live items as well: they
    /// expire as by <see cref="Clear(TimeSpan)"/>, unless that has happened since the item was created, and are validated before
    /// their next lease even if they were used a moment ago, leased ones after their return. The lease is tainted and remains
    /// active.
    /// </summary>
    /// <param name="lease">A lease of this pool. Has no effect if it has ended.</param>
    /// <param name="spread">The time over which the other items expire; zero (now) to 1 day.</param>
    /// <exception cref="ArgumentException">The lease belongs to another pool.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The time is out of range.</exception>
    public void Invalidate(Lease<T> lease, TimeSpan spread = default)
    {
        Spread.ThrowIfOutOfRange(spread);
        RentErrors.ThrowIfForeign(lease, _runtime.Returns);
        if (lease.IsActive && lease.Slot is ResourceEntry<T> entry)
        {
            lease.Taint();
            var (generation, now) = (entry.Generation, _runtime.Clock.Now);
            _runtime.Core.Operators.RequireValidation(generation, affected: null, now);
            _runtime.Core.Operators.Clear(_runtime.Clock.Ticks(spread), generation, now);
        }
    }

    /// <summary>
    /// Requires some of the items to be validated before their next lease, because they may have become unusable.
    /// </summary>
    /// <param name="affects">Selects the items. Called once for each item, in no order, not under a lock; exceptions reach the
    /// caller.</param>
    /// <remarks>
    /// Has no effect on items created meanwhile, nor if the policy does not validate or
    /// <see cref="ResourcePoolOptions.ValidateAfterIdle"/> is infinite.
    /// </remarks>
    /// <exception cref="ArgumentNullException"><paramref name="affects"/> is null.</exception>
    public void Invalidate(Func<T, bool> affects) =>
        _runtime.Core.Operators.RequireValidation(int.MaxValue, Select(affects), _runtime.Clock.Now);

    /// <summary>Lets some of the items expire: idle ones are destroyed now, leased ones when they are returned.</summary>
    /// <param name="affects">Selects the items. Called once for each item, in no order, not under a lock; exceptions reach the
    /// caller.</param>
    /// <param name="spread">The time over which the items expire, each at a random moment; zero (now) to 1 day.</param>
    /// <remarks>Has no effect on items whose creation is in progress.</remarks>
    /// <exception cref="ArgumentNullException"><paramref name="affects"/> is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The time is out of range.</exception>
    public void Clear(Func<T, bool> affects, TimeSpan spread = default)
    {
        Spread.ThrowIfOutOfRange(spread);
        _runtime.Core.Operators.Clear(_runtime.Clock.Ticks(spread), Select(affects), _runtime.Clock.Now);
    }

    // The items are selected outside the gate. An entry whose item is gone when the gate is entered again is skipped.
    private HashSet<ResourceEntry<T>> Select(Func<T, bool> affects)
    {
        ArgumentNullException.ThrowIfNull(affects);
        var items = _runtime.Core.Operators.GetItems(_runtime.Clock.Now);
        return [.. items.Where(each => affects(each.Item)).Select(each => each.Entry)];
    }

    /// <summary>
    /// Destroys every idle item, even those that <see cref="ResourcePoolOptions.MinIdle"/> would keep; the pool refills later.
    /// </summary>
    /// <returns>The number of items to be destroyed. They are destroyed in the background.</returns>
    public int Trim() => _runtime.Core.Operators.DestroyIdle(int.MaxValue, DestroyReason.Trimmed, _runtime.Clock.Now);

    /// <summary>
    /// Stops renting until <see cref="Resume"/>: callers wait, and returned items are kept. For maintenance of the remote side.
    /// </summary>
    public void Suspend() => _runtime.Core.Operators.Suspend(_runtime.Clock.Now);

    /// <summary>Ends a suspension; callers that are already waiting are served first.</summary>
    public void Resume() => _runtime.Core.Operators.Resume(_runtime.Clock.Now);

    /// <summary>
    /// Closes the pool gracefully: new callers are rejected, waiting ones are still served, and every item is destroyed as it
    /// becomes idle. The pool is disposed when the last item is gone.
    /// </summary>
    /// <param name="cancellationToken">Ends this wait, not the draining; <see cref="Dispose"/> speeds it up.</param>
    /// <returns>A task that completes when no item is alive any more.</returns>
    public async Task DrainAsync(CancellationToken cancellationToken = default)
    {
        _runtime.Shutdown.Close(drain: true);
        await _runtime.Shutdown.WhenEmptyAsync().WaitAsync(cancellationToken).ConfigureAwait(false);
        await DisposeAsync().ConfigureAwait(false);
    }

    /// <inheritdoc cref="IPool.GetStatistics"/>
    public ResourcePoolStatistics GetStatistics() => _runtime.GetStatistics();

    /// <inheritdoc/>
    public IReadOnlyList<LeaseSnapshot> GetLeases(int max) => _runtime.GetLeases(max);

    PoolStatistics IPool.GetStatistics() => GetStatistics();

    /// <summary>Describes the pool in one line, for debuggers and logs.</summary>
    /// <returns>Its name and current numbers. The format may change.</returns>
    public override string ToString() => GetStatistics().Summarize(Name);

    /// <summary>
    /// Closes the pool: waits end with <see cref="ObjectDisposedException"/>, idle items are destroyed in the background.
    /// </summary>
    /// <remarks>Leases remain active; their items are destroyed as they end. Repeated calls have no effect.</remarks>
    public void Dispose()
    {
        _runtime.Shutdown.Close(drain: false);
    }

    /// <summary>
    /// Does the same as <see cref="Dispose"/>, and waits until idle items and those in transition are destroyed, each within its
    /// deadline.
    /// </summary>
    /// <returns>A task that completes when these items are destroyed. It does not wait for leases.</returns>
    public async ValueTask DisposeAsync()
    {
        Dispose();
        await _runtime.Shutdown.WhenQuiescentAsync().ConfigureAwait(false);
    }

    bool IInnerPool.IsOpen => _runtime.Core.IsOpen;

    IReadOnlyList<ServerStatistics<string>> IPool.GetServers() => _runtime.Policy.GetServers();

    void IInnerPool.DestroyBrokenByParent() => _runtime.Core.Operators.DestroyBrokenByParent(_runtime.Clock.Now);

    /// <summary>
    /// Applies settings that the pool of which this one is a part has validated; has no effect once this pool is closed.
    /// </summary>
    internal void ApplyValidated(ResourcePoolOptions options)
    {
        lock (_runtime.Changing)
        {
            if (_runtime.Core.IsOpen)
            {
                Apply(options.CopyOver(_runtime.Settings.Options));
            }
        }
    }

    private void Change(Func<ResourcePoolOptions, ResourcePoolOptions> change)
    {
        ThrowIfClosed();
        lock (_runtime.Changing)
        {
            var current = _runtime.Settings.Options;
            Apply(change(current).FreezeChange(current));
        }
    }

    private void Apply(ResourcePoolOptions frozen)
    {
        Volatile.Write(ref _recordsCallers, frozen.RecordsCallers);
        _runtime.Reconfigure(frozen);
        IPoolEventLog.Current?.Reconfigured(_runtime.Events.Pool.Name);
    }
}
