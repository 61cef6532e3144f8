using Poolhouse.Testing.Contracts.Internal;

namespace Poolhouse.Testing;

/// <summary>A pool as the contract sees it. Derive from it to put a pool of another shape, or a wrapper, under the contract.</summary>
/// <remarks>
/// Every member does what the member of <see cref="ResourcePool{T}"/> with its name does. A pool that lacks an operation throws
/// <see cref="NotSupportedException"/> there, and leaves out the checks that fail for it.
/// </remarks>
public abstract class ContractPool : IAsyncDisposable
{
    /// <summary>Puts a resource pool under the contract.</summary>
    /// <param name="pool">The pool; disposed with the result.</param>
    /// <returns>The pool as the contract sees it.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="pool"/> is null.</exception>
    public static ContractPool Over(ResourcePool<ContractItem> pool)
    {
        ArgumentNullException.ThrowIfNull(pool);
        return new PlainContractPool(pool);
    }

    /// <summary>Rents asynchronously.</summary>
    /// <param name="timeout">How long the caller waits at most; null: as the options say.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>The lease.</returns>
    public abstract ValueTask<Lease<ContractItem>> RentAsync(TimeSpan? timeout, CancellationToken cancellationToken);

    /// <summary>Rents and blocks.</summary>
    /// <param name="timeout">How long the caller waits at most; null: as the options say.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>The lease.</returns>
    public abstract Lease<ContractItem> Rent(TimeSpan? timeout, CancellationToken cancellationToken);

    /// <summary>Rents without waiting.</summary>
    /// <param name="lease">The lease.</param>
    /// <returns>Whether there is one.</returns>
    public abstract bool TryRent(out Lease<ContractItem> lease);

    /// <summary>Reads the counters.</summary>
    /// <returns>A snapshot.</returns>
    public abstract ResourcePoolStatistics GetStatistics();

    /// <summary>Reports a fatal error on an item.</summary>
    /// <param name="lease">The lease of the item.</param>
    public abstract void Invalidate(Lease<ContractItem> lease);

    /// <summary>Creates items ahead of demand.</summary>
    /// <param name="count">How many shall be alive.</param>
    /// <returns>A task that completes when they are.</returns>
    public abstract Task WarmUpAsync(int count);

    /// <summary>Changes the bound.</summary>
    /// <param name="maxSize">The bound.</param>
    public abstract void Resize(int maxSize);

    /// <summary>Ages out all items alive.</summary>
    public abstract void Clear();

    /// <summary>Destroys what is idle.</summary>
    /// <returns>How many go.</returns>
    public abstract int Trim();

    /// <summary>Rents nothing until <see cref="Resume"/>.</summary>
    public abstract void Suspend();

    /// <summary>Ends a suspension.</summary>
#pragma warning disable CA1716 // A keyword of Visual Basic, which can escape it; the pools call it so.
    public abstract void Resume();
#pragma warning restore CA1716

    /// <summary>Ends the pool gently.</summary>
    /// <returns>A task that completes when nothing is alive.</returns>
    public abstract Task DrainAsync();

    /// <summary>Disposes the pool.</summary>
    /// <returns>A task that completes when what was idle is destroyed. It does not wait for leases.</returns>
    public abstract ValueTask DisposeAsync();
}
