using Poolhouse.Resources.Engine;
using Poolhouse.Resources.Keyed;

namespace Poolhouse;

/// <content>Operations: warm up, clear, trim, drain, dispose.</content>
public sealed partial class KeyedResourcePool<TKey, T>
{
    /// <summary>
    /// Waits until the given number of items of a key is alive, and creates the missing ones. See
    /// <see cref="ResourcePool{T}.WarmUpAsync"/>.
    /// </summary>
    /// <param name="key">The key.</param>
    /// <param name="count">The number of items; 0 to the capacity of one key, and at most that over all keys.</param>
    /// <param name="cancellationToken">Ends the wait; creations in progress continue.</param>
    /// <returns>A task that completes when the items are alive.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="key"/> is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The count is out of range.</exception>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    /// <remarks>Uses free slots only: no other key gives up an item for it.</remarks>
    public Task WarmUpAsync(TKey key, int count, CancellationToken cancellationToken = default)
    {
        // Invalid arguments throw here and not through the task.
        var part = _parts.FindOrAdd(key) ?? throw RentErrors.Closed(Name);
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(
            count, Math.Min(part.Pool.Runtime.Settings.MaxSize, _parts.Options.MaxSize));
        return WarmUpPartAsync(part, key, count, cancellationToken);
    }

    /// <summary>
    /// Changes <see cref="KeyedResourcePoolOptions{TKey}.MaxSize"/>, the capacity over all keys. If it becomes smaller, surplus
    /// idle items are destroyed at once, the coldest first, and leased ones as they are returned, whichever key they belong to.
    /// </summary>
    /// <param name="maxSize">1 to 1,000,000.</param>
    /// <exception cref="ArgumentException">The size is out of range.</exception>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    public void Resize(int maxSize)
    {
        ThrowIfClosed();
        _parts.Reconfigure(current => current.With(options => options.MaxSize = maxSize).FreezeChange(current));
    }

    /// <summary>
    /// Applies new options, either all or none, to every key, including keys that are added later. Operations in progress keep
    /// the deadlines with which they started.
    /// </summary>
    /// <param name="options">
    /// All settings. <see cref="KeyedResourcePoolOptions{TKey}.KeyComparer"/>, and the settings of a key that
    /// <see cref="ResourcePool{T}.Reconfigure"/> cannot change, must be unchanged.
    /// </param>
    /// <exception cref="ArgumentNullException"><paramref name="options"/> is null.</exception>
    /// <exception cref="ArgumentException">
    /// Settings are invalid or cannot be changed; the message names each of them. Nothing was changed.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    public void Reconfigure(KeyedResourcePoolOptions<TKey> options)
    {
        ArgumentNullException.ThrowIfNull(options);
        ThrowIfClosed();
        _parts.Reconfigure(options.FreezeChange);
    }

    /// <summary>
    /// Stops renting for every key, including keys that are added meanwhile, as <see cref="ResourcePool{T}.Suspend"/> does.
    /// </summary>
    public void Suspend() => _parts.SetSuspended(true, static pool => pool.Suspend());

    /// <summary>Ends a suspension of every key; callers that are already waiting are served first.</summary>
    public void Resume() => _parts.SetSuspended(false, static pool => pool.Resume());

    /// <summary>Lets every item of every key expire, as <see cref="ResourcePool{T}.Clear(TimeSpan)"/> does.</summary>
    /// <param name="spread">The time over which the items expire; zero (now) to 1 day.</param>
    /// <exception cref="ArgumentOutOfRangeException">The time is out of range.</exception>
    public void Clear(TimeSpan spread = default)
    {
        Spread.ThrowIfOutOfRange(spread);
        foreach (var part in _parts.Values)
        {
            part.Pool.Clear(spread);
        }
    }

    /// <summary>Lets every item of one key expire, for example after its credentials were rotated.</summary>
    /// <param name="key">The key. Has no effect if the pool does not know it.</param>
    /// <param name="spread">The time over which the items expire; zero (now) to 1 day.</param>
    /// <exception cref="ArgumentNullException"><paramref name="key"/> is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The time is out of range.</exception>
    public void Clear(TKey key, TimeSpan spread = default)
    {
        Spread.ThrowIfOutOfRange(spread);
        if (_parts.TryGetValue(key, out var part))
        {
            part.Pool.Clear(spread);
        }
    }

    /// <summary>
    /// Reports a fatal error on an item that probably affects the other items of its key as well; see
    /// <see cref="ResourcePool{T}.Invalidate(Lease{T}, TimeSpan)"/>.
    /// </summary>
    /// <param name="lease">A lease of this pool. Has no effect if it has ended.</param>
    /// <param name="spread">The time over which the other items expire; zero (now) to 1 day.</param>
    /// <exception cref="ArgumentException">The lease belongs to another pool.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The time is out of range.</exception>
    public void Invalidate(Lease<T> lease, TimeSpan spread = default)
    {
        Spread.ThrowIfOutOfRange(spread);
        if (!lease.IsActive)
        {
            return;
        }

        var part = _parts.Values.FirstOrDefault(part => part.Pool.Owns(lease))
            ?? throw new ArgumentException(
                $"The lease belongs to pool '{lease.Slot!.Owner.Name}', not to pool '{Name}'.", nameof(lease));
        part.Pool.Invalidate(lease, spread);
    }

    /// <inheritdoc/>
    public int Trim() => _parts.Values.Sum(part => part.Pool.Trim());

    /// <summary>Closes the pool gracefully for all keys, as <see cref="ResourcePool{T}.DrainAsync"/> does.</summary>
    /// <param name="cancellationToken">Ends this wait, not the draining.</param>
    /// <returns>A task that completes when no item is alive any more.</returns>
    public Task DrainAsync(CancellationToken cancellationToken = default) => DrainAllAsync().WaitAsync(cancellationToken);

    /// <summary>
    /// Closes the pool: waits end with <see cref="ObjectDisposedException"/>, idle items are destroyed in the background.
    /// </summary>
    /// <remarks>Leases remain active; their items are destroyed as they end. Repeated calls have no effect.</remarks>
    public void Dispose()
    {
        foreach (var part in _parts.Close())
        {
            part.Pool.Dispose();
        }

        _registration.End();
        _parts.Dispose();
    }

    /// <summary>
    /// Does the same as <see cref="Dispose"/>, and waits until idle items and those in transition are destroyed, each within its
    /// deadline.
    /// </summary>
    /// <returns>A task that completes when these items are destroyed. It does not wait for leases.</returns>
    public async ValueTask DisposeAsync()
    {
        Dispose();
        await Task.WhenAll(_parts.Values.Select(part => part.Pool.DisposeAsync().AsTask())).ConfigureAwait(false);
    }

    /// <summary>Applies settings that the pool of which this one is a part has validated.</summary>
    internal void ApplyValidated(KeyedResourcePoolOptions<TKey> options) => _parts.Reconfigure(options.CopyOver);

    /// <summary>Runs to completion even if the caller that drained the pool has stopped waiting.</summary>
    private async Task DrainAllAsync()
    {
        await Task.WhenAll(_parts.Close().Select(part => part.Pool.DrainAsync(CancellationToken.None))).ConfigureAwait(false);
        await DisposeAsync().ConfigureAwait(false);
    }

    private async Task WarmUpPartAsync(
        KeyedPart<TKey, T>? part, TKey key, int count, CancellationToken cancellationToken)
    {
        for (; part is not null; part = _parts.FindOrAdd(key))
        {
            try
            {
                await part.Pool.WarmUpAsync(count, cancellationToken).ConfigureAwait(false);
                return;
            }
            catch (ObjectDisposedException) when (_parts.IsForgotten(part))
            {
                // The key was forgotten between the lookup and the warm-up; retry with a new part.
            }
        }

        throw RentErrors.Closed(Name);
    }
}
