using Poolhouse.Testing.Contracts.Internal;

namespace Poolhouse.Testing;

/// <summary>The pool that a contract tests. Derive from it to test a wrapper, or a pool with another API.</summary>
/// <remarks>
/// Every member does the same as the member of <see cref="ResourcePool{T}"/> with this name. If a pool lacks an operation, throw
/// <see cref="NotSupportedException"/> there, and omit the checks that fail for this reason.
/// </remarks>
public abstract class ContractPool : IAsyncDisposable
{
    /// <summary>Adapts a resource pool for the contract.</summary>
    /// <param name="pool">The pool; disposed with the result.</param>
    /// <returns>The adapted pool.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="pool"/> is null.</exception>
    public static ContractPool Over(ResourcePool<ContractItem> pool)
    {
        ArgumentNullException.ThrowIfNull(pool);
        return new PlainContractPool(pool);
    }

    /// <summary>Rents asynchronously.</summary>
    /// <param name="timeout">How long the caller waits at most; null for the timeout in the options.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <returns>The lease.</returns>
    public abstract ValueTask<Lease<ContractItem>> RentAsync(TimeSpan? timeout, CancellationToken cancellationToken);

    /// <summary>Rents and blocks.</summary>
    /// <param name="timeout">How long the caller waits at most; null for the timeout in the options.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <returns>The lease.</returns>
    public abstract Lease<ContractItem> Rent(TimeSpan? timeout, CancellationToken cancellationToken);

    /// <summary>Rents without waiting.</summary>
    /// <param name="lease">The lease.</param>
    /// <returns>True if an item was rented.</returns>
    public abstract bool TryRent(out Lease<ContractItem> lease);

    /// <summary>Reads the counters.</summary>
    /// <returns>A snapshot.</returns>
    public abstract ResourcePoolStatistics GetStatistics();

    /// <summary>Reads which items are leased, and since when.</summary>
    /// <param name="max">The maximum number of leases to return.</param>
    /// <returns>The oldest leases first.</returns>
    public abstract IReadOnlyList<LeaseSnapshot> GetLeases(int max);

    /// <summary>Reports a fatal error on an item.</summary>
    /// <param name="lease">The lease of the item.</param>
    public abstract void Invalidate(Lease<ContractItem> lease);

    /// <summary>Creates items ahead of demand.</summary>
    /// <param name="count">The number of items that should be alive.</param>
    /// <returns>A task that completes when they are alive.</returns>
    public abstract Task WarmUpAsync(int count);

    /// <summary>Changes the maximum size.</summary>
    /// <param name="maxSize">The new maximum size.</param>
    public abstract void Resize(int maxSize);

    /// <summary>Lets all live items expire.</summary>
    public abstract void Clear();

    /// <summary>Destroys the idle items.</summary>
    /// <returns>The number of items destroyed.</returns>
    public abstract int Trim();

    /// <summary>Rents nothing until <see cref="Resume"/>.</summary>
    public abstract void Suspend();

    /// <summary>Ends a suspension.</summary>
#pragma warning disable CA1716 // A keyword of Visual Basic, which can escape it; the pools call it so.
    public abstract void Resume();
#pragma warning restore CA1716

    /// <summary>Drains the pool.</summary>
    /// <returns>A task that completes when no item is alive.</returns>
    public abstract Task DrainAsync();

    /// <summary>Disposes the pool.</summary>
    /// <returns>A task that completes when the idle items are destroyed. It does not wait for leases.</returns>
    public abstract ValueTask DisposeAsync();
}
