namespace Poolhouse.Tool.Bench.Rivals;

/// <summary>The common interface of the resource pool's rivals.</summary>
/// <remarks>The benchmark project compiles this folder too: one rival, measured by both.</remarks>
internal interface IRivalPool<T>
    where T : class
{
    /// <summary>Rents; the given timeout includes a creation.</summary>
    /// <exception cref="TimeoutException">No item was available in time.</exception>
    ValueTask<T> RentAsync(TimeSpan timeout, CancellationToken cancellation);

    /// <summary>The same, blocking the calling thread.</summary>
    T Rent(TimeSpan timeout);

    /// <summary>Returns an item. One that is no longer usable is destroyed, and its capacity is released.</summary>
    void Return(T item);
}
