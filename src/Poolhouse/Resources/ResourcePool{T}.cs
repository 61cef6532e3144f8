using System.Runtime.CompilerServices;
using Poolhouse.Internal;

namespace Poolhouse.Resources;

/// <summary>
/// A bounded pool of items that are expensive to make and must not be shared while in use: connections, sessions, processes.
/// </summary>
/// <typeparam name="T">The type of the item.</typeparam>
/// <remarks>
/// <para>
/// At most <see cref="ResourcePoolOptions.MaxSize"/> items are alive. A caller that finds none idle waits, synchronous and asynchronous
/// ones in one queue, and is served in the order of arrival. Every rent has a deadline, which holds although a hook of the policy hangs.
/// </para>
/// <para>
/// Thread safe. Disposing the pool ends the waits and destroys what is idle; leases go on, and their items are destroyed as they end.
/// </para>
/// <code>
/// await using var lease = await pool.RentAsync(cancellationToken);
/// await lease.Value.SendAsync(message, cancellationToken);
/// </code>
/// </remarks>
public sealed class ResourcePool<T> : IPool, IAsyncDisposable, IDisposable
    where T : notnull
{
    private readonly Owner _owner;
    private readonly IPool _face;
#pragma warning disable CA2213 // It goes on after the pool is disposed, until everything is destroyed, and then ends itself.
    private readonly ResourceWorkshop<T> _workshop;
#pragma warning restore CA2213
    private readonly ResourceRents<T> _rents;
    private readonly PoolReporter _reporter;
    private bool _tracks;

    /// <summary>Makes a pool. If <see cref="ResourcePoolOptions.MinIdle"/> is set, it begins to fill up in the background.</summary>
    /// <param name="policy">How items are made, checked, cleaned and destroyed.</param>
    /// <param name="options">The settings; copied.</param>
    /// <exception cref="ArgumentNullException"><paramref name="policy"/> or <paramref name="options"/> is null.</exception>
    /// <exception cref="ArgumentException">Settings are invalid; the message names each.</exception>
    public ResourcePool(ResourcePolicy<T> policy, ResourcePoolOptions options)
        : this(policy, options, share: null, face: null)
    {
    }

    /// <summary>Makes the pool of one key, which has a part in the places of the whole and is reported as a part of it.</summary>
    internal ResourcePool(ResourcePolicy<T> policy, ResourcePoolOptions options, PlaceBudget<T>.Member? share, IPool? face)
    {
        ArgumentNullException.ThrowIfNull(policy);
        ArgumentNullException.ThrowIfNull(options);
        var frozen = options.Freeze();
        _face = face ?? this;
        Name = frozen.Name ?? PoolNames.For(typeof(T));
        _tracks = frozen.TrackLeases;
        _reporter = frozen.Reporter ?? PoolInstruments.Of(frozen.Meter, frozen.MeterFactory);
        _owner = new Owner(this);
        _workshop = new ResourceWorkshop<T>(policy, frozen, share, _owner, _face, _reporter);
        _rents = new ResourceRents<T>(_workshop);
        if (_face == this)
        {
            _reporter.Add(this);
        }

        _workshop.Start();
    }

    /// <inheritdoc/>
    public string Name { get; }

    internal ResourceWorkshop<T> Workshop => _workshop;

    /// <summary>Rents an item; waits at most <see cref="ResourcePoolOptions.RentTimeout"/>.</summary>
    /// <param name="cancellationToken">Ends the wait. A lease that was given at the same moment is delivered all the same.</param>
    /// <returns>The lease. Await it once.</returns>
    /// <exception cref="PoolTimeoutException">The time was up.</exception>
    /// <exception cref="PoolOverloadedException">Too many are waiting.</exception>
    /// <exception cref="PoolUnavailableException">Items cannot be created, and the pool is set to fail fast; the first caller gets the policy's own exception.</exception>
    /// <exception cref="OperationCanceledException">The caller cancelled.</exception>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    public ValueTask<Lease<T>> RentAsync(CancellationToken cancellationToken = default)
    {
        ResourceEntry<T>? unusable = null;
        return !_tracks && !cancellationToken.IsCancellationRequested && _rents.TryRentHot(out var lease, out unusable)
            ? new ValueTask<Lease<T>>(lease)
            : RentSlowAsync(unusable, _workshop.Settings.RentTimeout, cancellationToken);
    }

    /// <summary>Rents an item; waits at most so long.</summary>
    /// <param name="timeout">Zero or more, at most 49 days, or <see cref="Timeout.InfiniteTimeSpan"/>.</param>
    /// <param name="cancellationToken">Ends the wait. A lease that was given at the same moment is delivered all the same.</param>
    /// <returns>The lease. Await it once.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The time is out of range.</exception>
    /// <exception cref="PoolTimeoutException">The time was up.</exception>
    /// <exception cref="PoolOverloadedException">Too many are waiting.</exception>
    /// <exception cref="PoolUnavailableException">Items cannot be created, and the pool is set to fail fast; the first caller gets the policy's own exception.</exception>
    /// <exception cref="OperationCanceledException">The caller cancelled.</exception>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    public ValueTask<Lease<T>> RentAsync(TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        ThrowIfOutOfRange(timeout);
        ResourceEntry<T>? unusable = null;
        return !_tracks && !cancellationToken.IsCancellationRequested && _rents.TryRentHot(out var lease, out unusable)
            ? new ValueTask<Lease<T>>(lease)
            : RentSlowAsync(unusable, _workshop.Clock.Ticks(timeout), cancellationToken);
    }

    /// <summary>Rents an item; blocks at most <see cref="ResourcePoolOptions.RentTimeout"/>. Use it where there is no way to await.</summary>
    /// <param name="cancellationToken">Ends the wait. A lease that was given at the same moment is delivered all the same.</param>
    /// <returns>The lease.</returns>
    /// <exception cref="PoolTimeoutException">The time was up.</exception>
    /// <exception cref="PoolOverloadedException">Too many are waiting.</exception>
    /// <exception cref="PoolUnavailableException">Items cannot be created, and the pool is set to fail fast; the first caller gets the policy's own exception.</exception>
    /// <exception cref="OperationCanceledException">The caller cancelled.</exception>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    public Lease<T> Rent(CancellationToken cancellationToken = default)
    {
        ResourceEntry<T>? unusable = null;
        return !_tracks && !cancellationToken.IsCancellationRequested && _rents.TryRentHot(out var lease, out unusable)
            ? lease
            : RentSlow(unusable, _workshop.Settings.RentTimeout, cancellationToken);
    }

    /// <summary>Rents an item; blocks at most so long. Use it where there is no way to await.</summary>
    /// <param name="timeout">Zero or more, at most 49 days, or <see cref="Timeout.InfiniteTimeSpan"/>.</param>
    /// <param name="cancellationToken">Ends the wait. A lease that was given at the same moment is delivered all the same.</param>
    /// <returns>The lease.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The time is out of range.</exception>
    /// <exception cref="PoolTimeoutException">The time was up.</exception>
    /// <exception cref="PoolOverloadedException">Too many are waiting.</exception>
    /// <exception cref="PoolUnavailableException">Items cannot be created, and the pool is set to fail fast; the first caller gets the policy's own exception.</exception>
    /// <exception cref="OperationCanceledException">The caller cancelled.</exception>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    public Lease<T> Rent(TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        ThrowIfOutOfRange(timeout);
        ResourceEntry<T>? unusable = null;
        return !_tracks && !cancellationToken.IsCancellationRequested && _rents.TryRentHot(out var lease, out unusable)
            ? lease
            : RentSlow(unusable, _workshop.Clock.Ticks(timeout), cancellationToken);
    }

    /// <summary>Rents an idle item if there is one that can be used at once: nothing is created and nobody is overtaken.</summary>
    /// <param name="lease">The lease, or one that has ended.</param>
    /// <returns>
    /// False if none is idle, others wait, the pool is suspended, or the item must be validated first; it is validated in the background then.
    /// </returns>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    public bool TryRent(out Lease<T> lease)
    {
        ResourceEntry<T>? unusable = null;
        if (!_tracks && _rents.TryRentHot(out lease, out unusable))
        {
            return true;
        }

        if (unusable is null)
        {
            ThrowIfClosed();
        }

        if (_rents.TryRentIdle(unusable, Trace(), out lease, out var stale))
        {
            return true;
        }

        if (stale is not null)
        {
            _workshop.Core.Check(stale);
        }

        return false;
    }

    /// <summary>Rents an item, uses it, and returns it: tainted if the use throws or is cancelled.</summary>
    /// <typeparam name="TResult">What the use gives.</typeparam>
    /// <param name="use">The use of the item.</param>
    /// <param name="cancellationToken">Ends the wait and is given to <paramref name="use"/>.</param>
    /// <returns>What <paramref name="use"/> gave.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="use"/> is null.</exception>
    /// <remarks>Throws what <see cref="RentAsync(CancellationToken)"/> throws, and what <paramref name="use"/> throws.</remarks>
    public async ValueTask<TResult> UseAsync<TResult>(Func<T, CancellationToken, ValueTask<TResult>> use, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(use);
        var lease = await RentAsync(cancellationToken).ConfigureAwait(false);
        await using (lease.ConfigureAwait(false))
        {
            try
            {
                return await use(lease.Value, cancellationToken).ConfigureAwait(false);
            }
            catch
            {
                lease.Taint();
                throw;
            }
        }
    }

    /// <summary>Rents an item, uses it, and returns it: tainted if the use throws.</summary>
    /// <typeparam name="TResult">What the use gives.</typeparam>
    /// <param name="use">The use of the item.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>What <paramref name="use"/> gave.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="use"/> is null.</exception>
    /// <remarks>Throws what <see cref="Rent(CancellationToken)"/> throws, and what <paramref name="use"/> throws.</remarks>
    public TResult Use<TResult>(Func<T, TResult> use, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(use);
        using var lease = Rent(cancellationToken);
        try
        {
            return use(lease.Value);
        }
        catch
        {
            lease.Taint();
            throw;
        }
    }

    /// <summary>Waits until so many items are alive, and creates what is missing, at most <see cref="ResourcePoolOptions.MaxConcurrentCreates"/> at once.</summary>
    /// <param name="count">How many; 0 to <see cref="ResourcePoolOptions.MaxSize"/>.</param>
    /// <param name="cancellationToken">Ends the wait; creations under way go on.</param>
    /// <returns>A task that completes when they are alive. It fails with the policy's own exception when one cannot be created.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The count is out of range.</exception>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    public Task WarmUpAsync(int count, CancellationToken cancellationToken = default)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(count, _workshop.Settings.MaxSize);
        ThrowIfClosed();
        return cancellationToken.IsCancellationRequested
            ? Task.FromCanceled(cancellationToken)
            : _workshop.WarmUps.WaitAsync(count, cancellationToken);
    }

    /// <summary>Changes <see cref="ResourcePoolOptions.MaxSize"/>. A smaller pool destroys idle items at once and leased ones as they come back.</summary>
    /// <param name="maxSize"><see cref="ResourcePoolOptions.MinIdle"/> (at least 1) to 1,000,000.</param>
    /// <exception cref="ArgumentException">The size is out of range.</exception>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    public void Resize(int maxSize)
    {
        ThrowIfClosed();
        lock (_owner)
        {
            var options = _workshop.Settings.Options.Freeze();
            options.MaxSize = maxSize;
            Apply(options);
        }
    }

    /// <summary>Puts other options in force, all together or none. What is under way keeps the deadlines that it began with.</summary>
    /// <param name="options">
    /// All settings. <see cref="ResourcePoolOptions.Name"/>, <see cref="ResourcePoolOptions.TimeProvider"/>,
    /// <see cref="ResourcePoolOptions.IdleOrder"/> and the meter must be what they were.
    /// </param>
    /// <exception cref="ArgumentNullException"><paramref name="options"/> is null.</exception>
    /// <exception cref="ArgumentException">Settings are invalid or cannot be changed; the message names each. Nothing was changed.</exception>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    public void Reconfigure(ResourcePoolOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        ThrowIfClosed();
        lock (_owner)
        {
            Apply(options);
        }
    }

    /// <summary>Ages out every item alive: idle ones are destroyed now, leased ones when they come back. Items created from now on are not affected.</summary>
    /// <remarks>Call it after credentials were rotated, or after a failover.</remarks>
    public void Clear() => Clear(TimeSpan.Zero);

    /// <summary>Ages out every item alive, each at a random moment of the given time, so that they are not all replaced at once.</summary>
    /// <param name="spread">The time over which they go; zero (now) to 1 day.</param>
    /// <exception cref="ArgumentOutOfRangeException">The time is out of range.</exception>
    public void Clear(TimeSpan spread)
    {
        ThrowIfOutOfRangeSpread(spread);
        _workshop.Core.Clear(_workshop.Clock.Ticks(spread), since: int.MaxValue, _workshop.Clock.Now);
    }

    /// <summary>
    /// Reports a fatal error on an item, such as a server restart, that its contemporaries will meet too: they are aged out as by
    /// <see cref="Clear(TimeSpan)"/>, unless that has happened since the item was created. The lease is tainted and goes on.
    /// </summary>
    /// <param name="lease">A lease of this pool. Nothing happens if it has ended.</param>
    /// <param name="spread">The time over which the others go; zero (now) to 1 day.</param>
    /// <exception cref="ArgumentException">The lease is one of another pool.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The time is out of range.</exception>
    public void Invalidate(Lease<T> lease, TimeSpan spread = default)
    {
        ThrowIfOutOfRangeSpread(spread);
        if (lease.Slot is not null && !Owns(lease))
        {
            throw new ArgumentException($"The lease is of pool '{lease.Slot.Owner.Name}', not of pool '{Name}'.", nameof(lease));
        }

        if (lease.IsActive && lease.Slot is ResourceEntry<T> entry)
        {
            lease.Taint();
            _workshop.Core.Clear(_workshop.Clock.Ticks(spread), entry.Generation, _workshop.Clock.Now);
        }
    }

    /// <summary>Destroys every idle item, also those that <see cref="ResourcePoolOptions.MinIdle"/> would keep; the pool fills up again later.</summary>
    /// <returns>How many items go. They are destroyed in the background.</returns>
    public int Trim() => _workshop.Core.RetireIdle(int.MaxValue, DestroyReason.Trimmed, _workshop.Clock.Now);

    /// <summary>Rents nothing until <see cref="Resume"/>: callers wait, returned items stay. For maintenance of the other side.</summary>
    public void Suspend() => _workshop.Core.Suspend();

    /// <summary>Ends a suspension; those who waited are served first.</summary>
    public void Resume() => _workshop.Core.Resume(_workshop.Clock.Now);

    /// <summary>
    /// Ends the pool gently: nobody new is served, those who wait are, and every item is destroyed as it becomes idle. The pool is
    /// disposed when the last one is gone.
    /// </summary>
    /// <param name="cancellationToken">Ends this wait, not the draining; <see cref="Dispose"/> hurries it.</param>
    /// <returns>A task that completes when nothing is alive any more.</returns>
    public async Task DrainAsync(CancellationToken cancellationToken = default)
    {
        _workshop.Close(drain: true);
        await _workshop.WhenEmptyAsync().WaitAsync(cancellationToken).ConfigureAwait(false);
        await DisposeAsync().ConfigureAwait(false);
    }

    /// <inheritdoc cref="IPool.GetStatistics"/>
    public ResourcePoolStatistics GetStatistics() => _workshop.GetStatistics();

    PoolStatistics IPool.GetStatistics() => GetStatistics();

    /// <summary>Closes the pool: waits end with <see cref="ObjectDisposedException"/>, idle items are destroyed in the background.</summary>
    /// <remarks>Leases go on; their items are destroyed as they end. Harmless when repeated.</remarks>
    public void Dispose()
    {
        _workshop.Close(drain: false);
    }

    /// <summary>The same as <see cref="Dispose"/>, and waits until what was idle or on its way is destroyed, each within its deadline.</summary>
    /// <returns>A task that completes then. It does not wait for leases.</returns>
    public async ValueTask DisposeAsync()
    {
        Dispose();
        await _workshop.WhenAtRestAsync().ConfigureAwait(false);
    }

    /// <summary>Destroys the idle items of which what they rest on is gone.</summary>
    internal void RetireForsaken() => _workshop.Core.RetireForsaken(_workshop.Clock.Now);

    internal bool Owns(Lease<T> lease) => lease.Slot?.Owner == _owner;

    private static void ThrowIfOutOfRange(TimeSpan timeout)
    {
        if (timeout != Timeout.InfiniteTimeSpan)
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(timeout, TimeSpan.Zero);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(timeout, TimeSpan.FromMilliseconds(uint.MaxValue - 1));
        }
    }

    private static void ThrowIfOutOfRangeSpread(TimeSpan spread)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(spread, TimeSpan.Zero);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(spread, TimeSpan.FromDays(1));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private ValueTask<Lease<T>> RentSlowAsync(ResourceEntry<T>? unusable, long timeout, CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            GiveBack(unusable);
            return ValueTask.FromCanceled<Lease<T>>(cancellationToken);
        }

        ThreadIndex.GetOrAssign();
        var trace = Trace();
        if (_rents.TryRentIdle(unusable, trace, out var lease, out var stale))
        {
            return new ValueTask<Lease<T>>(lease);
        }

        return timeout == 0 && _workshop.Core.IsOpen
            ? ValueTask.FromException<Lease<T>>(_rents.NoTimeToWait(stale, trace))
            : _rents.WaitAsync(stale, trace, timeout, cancellationToken);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private Lease<T> RentSlow(ResourceEntry<T>? unusable, long timeout, CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            GiveBack(unusable);
            throw new OperationCanceledException(cancellationToken);
        }

        ThreadIndex.GetOrAssign();
        var trace = Trace();
        if (_rents.TryRentIdle(unusable, trace, out var lease, out var stale))
        {
            return lease;
        }

        if (timeout == 0 && _workshop.Core.IsOpen)
        {
            throw _rents.NoTimeToWait(stale, trace);
        }

        return _rents.Wait(stale, trace, timeout, cancellationToken);
    }

    /// <summary>The caller cancelled after it had taken an entry that it could not use: the entry is looked at in the background (I6).</summary>
    private void GiveBack(ResourceEntry<T>? unusable)
    {
        if (unusable is not null)
        {
            _workshop.Core.Check(unusable);
        }
    }

    // Not inlined, so that the trace begins with the caller's frame or the pool's public method.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private LeaseTrace? Trace() => _tracks ? LeaseTrace.Capture() : null;

    private void ThrowIfClosed()
    {
        if (!_workshop.Core.IsOpen)
        {
            throw RentErrors.Closed(Name);
        }
    }

    private void Apply(ResourcePoolOptions options)
    {
        var now = _workshop.Settings.Options;
        var frozen = options.Freeze();
        var errors = new SettingErrors();
        errors.Check(string.Equals(frozen.Name, now.Name, StringComparison.Ordinal), nameof(frozen.Name), frozen.Name, "what it was, because it cannot be changed");
        errors.Check(frozen.IdleOrder == now.IdleOrder, nameof(frozen.IdleOrder), frozen.IdleOrder, $"{now.IdleOrder}, because it cannot be changed");
        errors.Check(frozen.TimeProvider == now.TimeProvider, nameof(frozen.TimeProvider), "another clock", "the same clock");
        errors.Check(frozen.Meter == now.Meter && frozen.MeterFactory == now.MeterFactory, nameof(frozen.Meter), "another meter", "the same meter");
        errors.ThrowIfAny(options);
        frozen.Random = now.Random;
        frozen.Scheduler = now.Scheduler;
        Volatile.Write(ref _tracks, frozen.TrackLeases);
        _workshop.Reconfigure(frozen);
    }

    /// <summary>The pool as its leases see it: not a part of its public face.</summary>
    private sealed class Owner(ResourcePool<T> pool) : ILeaseOwner<T>
    {
        public string Name => pool.Name;

        public LeaseInfo GetInfo(LeaseSlot<T> slot) => pool._workshop.InfoOf((ResourceEntry<T>)slot, pool._workshop.Clock.Now);

        public void Return(LeaseSlot<T> slot)
        {
            var entry = (ResourceEntry<T>)slot;
            if (!TryReturnHot(entry, out var now))
            {
                ReturnSlow(entry, now)?.Queue();
            }
        }

        public ValueTask ReturnAsync(LeaseSlot<T> slot)
        {
            var entry = (ResourceEntry<T>)slot;
            if (TryReturnHot(entry, out var now) || ReturnSlow(entry, now) is not { } reset)
            {
                return default;
            }

            var ended = pool._workshop.Settings.Options.AwaitReset ? new ValueTask(reset.WhenEndedAsync()) : default;
            reset.Queue();
            return ended;
        }

        public void Discard(LeaseSlot<T> slot)
        {
            var entry = (ResourceEntry<T>)slot;
            pool._workshop.Core.Retire(entry, DestroyReason.Discarded, EndUse(entry));
        }

        public void Detach(LeaseSlot<T> slot)
        {
            var entry = (ResourceEntry<T>)slot;
            pool._workshop.Core.Detach(entry, EndUse(entry));
        }

        public void CountDoubleReturn() => pool._workshop.CountDoubleReturn();

        private long EndUse(ResourceEntry<T> entry)
        {
            var workshop = pool._workshop;
            var now = workshop.Clock.Coarse;
            var used = entry.EndUse(now);
            if (pool._reporter.RecordsUseTime)
            {
                pool._reporter.RecordUseTime(pool._face, workshop.Clock.Span(used));
            }

            return now;
        }

        private bool TryReturnHot(ResourceEntry<T> entry, out long now)
        {
            var core = pool._workshop.Core;
            var settings = core.Settings;
            now = EndUse(entry);
            return now < entry.ExpiresAt && !entry.WasTainted && !pool._workshop.NeedsReset(settings, entry)
                && !(settings.AsksIfBroken && pool._workshop.IsBroken(entry.Item))
                && core.TryPutHot(entry, now);
        }

        /// <summary>Returns an entry that must be cleaned, destroyed, or handed on.</summary>
        /// <returns>The work that cleans it, to be queued by the caller; or null.</returns>
        [MethodImpl(MethodImplOptions.NoInlining)]
        private ItemWork<T>? ReturnSlow(ResourceEntry<T> entry, long now)
        {
            var workshop = pool._workshop;
            var settings = workshop.Settings;
            if (workshop.IsClosed)
            {
                workshop.Core.Retire(entry, DestroyReason.PoolDisposed, now);
            }
            else if (workshop.Inspect(entry, now) is { } dead)
            {
                workshop.Core.Retire(entry, dead, now);
            }
            else if (entry.WasTainted && !settings.ProvesClean)
            {
                workshop.Core.Retire(entry, DestroyReason.Tainted, now);
            }
            else if (entry.WasTainted || workshop.NeedsReset(settings, entry))
            {
                return workshop.PrepareReset(entry, entry.WasTainted);
            }
            else
            {
                workshop.Core.Offer(entry, now);
            }

            return null;
        }
    }
}
