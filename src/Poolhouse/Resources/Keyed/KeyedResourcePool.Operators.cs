using Poolhouse.Resources.Engine;

namespace Poolhouse;

/// <content>What operators do with a keyed pool: warm up, clear, trim, drain, end.</content>
public sealed partial class KeyedResourcePool<TKey, T>
{
    /// <summary>Waits until so many items of a key are alive, and creates what is missing. See <see cref="ResourcePool{T}.WarmUpAsync"/>.</summary>
    /// <param name="key">The key.</param>
    /// <param name="count">How many; 0 to the bound of one key.</param>
    /// <param name="cancellationToken">Ends the wait; creations under way go on.</param>
    /// <returns>A task that completes when they are alive.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="key"/> is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The count is out of range.</exception>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    /// <remarks>It takes free places only: no other key gives up an item for it.</remarks>
    public Task WarmUpAsync(TKey key, int count, CancellationToken cancellationToken = default)
    {
        // What is wrong with the arguments is thrown here and not told by the task.
        var part = PartOf(key) ?? throw RentErrors.Closed(Name);
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(count, part.Pool.Runtime.Settings.MaxSize);
        return WarmUpPartAsync(part, key, count, cancellationToken);
    }

    /// <summary>Ages out every item of every key, as <see cref="ResourcePool{T}.Clear(TimeSpan)"/> does.</summary>
    /// <param name="spread">The time over which they go; zero (now) to 1 day.</param>
    /// <exception cref="ArgumentOutOfRangeException">The time is out of range.</exception>
    public void Clear(TimeSpan spread = default)
    {
        foreach (var part in _parts.Values)
        {
            part.Pool.Clear(spread);
        }
    }

    /// <summary>Ages out every item of one key: after its credentials were rotated.</summary>
    /// <param name="key">The key. Nothing happens if the pool does not know it.</param>
    /// <param name="spread">The time over which they go; zero (now) to 1 day.</param>
    /// <exception cref="ArgumentNullException"><paramref name="key"/> is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The time is out of range.</exception>
    public void Clear(TKey key, TimeSpan spread = default)
    {
        if (_parts.TryGetValue(key, out var part))
        {
            part.Pool.Clear(spread);
        }
    }

    /// <summary>
    /// Reports a fatal error on an item, which the other items of its key will meet too: see <see cref="ResourcePool{T}.Invalidate"/>.
    /// </summary>
    /// <param name="lease">A lease of this pool. Nothing happens if it has ended.</param>
    /// <param name="spread">The time over which the others go; zero (now) to 1 day.</param>
    /// <exception cref="ArgumentException">The lease is one of another pool.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The time is out of range.</exception>
    public void Invalidate(Lease<T> lease, TimeSpan spread = default)
    {
        if (!lease.IsActive)
        {
            return;
        }

        var part = _parts.Values.FirstOrDefault(part => part.Pool.Owns(lease))
            ?? throw new ArgumentException($"The lease is of pool '{lease.Slot!.Owner.Name}', not of pool '{Name}'.", nameof(lease));
        part.Pool.Invalidate(lease, spread);
    }

    /// <inheritdoc/>
    public int Trim() => _parts.Values.Sum(part => part.Pool.Trim());

    /// <summary>Ends the pool gently, as <see cref="ResourcePool{T}.DrainAsync"/> does, for all keys.</summary>
    /// <param name="cancellationToken">Ends this wait, not the draining.</param>
    /// <returns>A task that completes when nothing is alive any more.</returns>
    public Task DrainAsync(CancellationToken cancellationToken = default) => DrainAllAsync().WaitAsync(cancellationToken);

    /// <summary>Closes the pool: waits end with <see cref="ObjectDisposedException"/>, idle items are destroyed in the background.</summary>
    /// <remarks>Leases go on; their items are destroyed as they end. Harmless when repeated.</remarks>
    public void Dispose()
    {
        foreach (var part in Close())
        {
            part.Pool.Dispose();
        }

        _reporter.Remove(this);
        _alarm.Dispose();
    }

    /// <summary>The same as <see cref="Dispose"/>, and waits until what was idle or on its way is destroyed, each within its deadline.</summary>
    /// <returns>A task that completes then. It does not wait for leases.</returns>
    public async ValueTask DisposeAsync()
    {
        Dispose();
        await Task.WhenAll(_parts.Values.Select(part => part.Pool.DisposeAsync().AsTask())).ConfigureAwait(false);
    }

    /// <summary>Ends by itself, although whoever drained the pool may not be waiting any more.</summary>
    private async Task DrainAllAsync()
    {
        await Task.WhenAll(Close().Select(part => part.Pool.DrainAsync(CancellationToken.None))).ConfigureAwait(false);
        await DisposeAsync().ConfigureAwait(false);
    }

    private async Task WarmUpPartAsync(Part? part, TKey key, int count, CancellationToken cancellationToken)
    {
        for (; part is not null; part = PartOf(key))
        {
            try
            {
                await part.Pool.WarmUpAsync(count, cancellationToken).ConfigureAwait(false);
                return;
            }
            catch (ObjectDisposedException) when (IsForgotten(part))
            {
                // Between the look-up and the warm-up; tried again with a new part.
            }
        }

        throw RentErrors.Closed(Name);
    }

    private Part[] Close()
    {
        using (_gate.Enter())
        {
            _closed = true;
            return [.. _parts.Values];
        }
    }
}
