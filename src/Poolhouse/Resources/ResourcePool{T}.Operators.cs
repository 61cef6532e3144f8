using Poolhouse.Kernel;
using Poolhouse.Resources.Engine;

namespace Poolhouse;

/// <content>What operators do with a resource pool: warm up, resize, clear, trim, suspend, drain, end.</content>
public sealed partial class ResourcePool<T>
{
    /// <summary>Waits until so many items are alive, and creates what is missing, at most <see cref="ResourcePoolOptions.MaxConcurrentCreates"/> at once.</summary>
    /// <param name="count">How many; 0 to <see cref="ResourcePoolOptions.MaxSize"/>.</param>
    /// <param name="cancellationToken">Ends the wait; creations under way go on.</param>
    /// <returns>A task that completes when they are alive. It fails with the policy's own exception when one cannot be created.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The count is out of range.</exception>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    public Task WarmUpAsync(int count, CancellationToken cancellationToken = default)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(count, _runtime.Settings.MaxSize);
        ThrowIfClosed();
        return cancellationToken.IsCancellationRequested
            ? Task.FromCanceled(cancellationToken)
            : _runtime.WarmUps.WaitAsync(count, cancellationToken);
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
            var options = _runtime.Settings.Options.Freeze();
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
        _runtime.Core.Clear(_runtime.Clock.Ticks(spread), since: int.MaxValue, _runtime.Clock.Now);
    }

    /// <summary>
    /// Reports a fatal error on an item, such as a server restart, that its contemporaries will meet too: they are aged out as by
    /// <see cref="Clear(TimeSpan)"/>, unless that has happened since the item was created, and are validated before
    /// their next lease even if they were used a moment ago, the leased ones after their return. The lease is tainted and goes on.
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
            var (generation, now) = (entry.Generation, _runtime.Clock.Now);
            _runtime.Core.RequireValidation(generation, affects: null, expires: false, now);
            _runtime.Core.Clear(_runtime.Clock.Ticks(spread), generation, now);
        }
    }

    /// <summary>Has items validated before their next lease.</summary>
    /// <param name="affects">Which; called under a lock.</param>
    internal void RequireValidation(Func<T, bool> affects) =>
        _runtime.Core.RequireValidation(int.MaxValue, affects, expires: false, _runtime.Clock.Now);

    /// <summary>Ages out items at once.</summary>
    /// <param name="affects">Which; called under a lock.</param>
    internal void Expire(Func<T, bool> affects) =>
        _runtime.Core.RequireValidation(int.MaxValue, affects, expires: true, _runtime.Clock.Now);

    /// <summary>Destroys every idle item, also those that <see cref="ResourcePoolOptions.MinIdle"/> would keep; the pool fills up again later.</summary>
    /// <returns>How many items go. They are destroyed in the background.</returns>
    public int Trim() => _runtime.Core.RetireIdle(int.MaxValue, DestroyReason.Trimmed, _runtime.Clock.Now);

    /// <summary>Rents nothing until <see cref="Resume"/>: callers wait, returned items stay. For maintenance of the other side.</summary>
    public void Suspend() => _runtime.Core.Suspend(_runtime.Clock.Now);

    /// <summary>Ends a suspension; those who waited are served first.</summary>
    public void Resume() => _runtime.Core.Resume(_runtime.Clock.Now);

    /// <summary>
    /// Ends the pool gently: nobody new is served, those who wait are, and every item is destroyed as it becomes idle. The pool is
    /// disposed when the last one is gone.
    /// </summary>
    /// <param name="cancellationToken">Ends this wait, not the draining; <see cref="Dispose"/> hurries it.</param>
    /// <returns>A task that completes when nothing is alive any more.</returns>
    public async Task DrainAsync(CancellationToken cancellationToken = default)
    {
        _runtime.Close(drain: true);
        await _runtime.WhenEmptyAsync().WaitAsync(cancellationToken).ConfigureAwait(false);
        await DisposeAsync().ConfigureAwait(false);
    }

    /// <inheritdoc cref="IPool.GetStatistics"/>
    public ResourcePoolStatistics GetStatistics() => _runtime.GetStatistics();

    PoolStatistics IPool.GetStatistics() => GetStatistics();

    /// <summary>Closes the pool: waits end with <see cref="ObjectDisposedException"/>, idle items are destroyed in the background.</summary>
    /// <remarks>Leases go on; their items are destroyed as they end. Harmless when repeated.</remarks>
    public void Dispose()
    {
        _runtime.Close(drain: false);
    }

    /// <summary>The same as <see cref="Dispose"/>, and waits until what was idle or on its way is destroyed, each within its deadline.</summary>
    /// <returns>A task that completes then. It does not wait for leases.</returns>
    public async ValueTask DisposeAsync()
    {
        Dispose();
        await _runtime.WhenAtRestAsync().ConfigureAwait(false);
    }

    /// <summary>Destroys the idle items of which what they rest on is gone.</summary>
    internal void RetireOrphaned() => _runtime.Core.RetireOrphaned(_runtime.Clock.Now);

    private void Apply(ResourcePoolOptions options)
    {
        var now = _runtime.Settings.Options;
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
        _runtime.Reconfigure(frozen);
    }

    private static void ThrowIfOutOfRangeSpread(TimeSpan spread)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(spread, TimeSpan.Zero);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(spread, TimeSpan.FromDays(1));
    }
}
