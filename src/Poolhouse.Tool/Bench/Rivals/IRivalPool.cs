namespace Poolhouse.Tool.Bench.Rivals;

/// <summary>The small face that the rivals of the resource pool have in common.</summary>
/// <remarks>The benchmark project compiles this folder too: one rival, measured by both.</remarks>
internal interface IRivalPool<T>
    where T : class
{
    /// <summary>Rents, for at most so long; the time includes a creation.</summary>
    /// <exception cref="TimeoutException">No item came free in time.</exception>
    ValueTask<T> RentAsync(TimeSpan timeout, CancellationToken cancellation);

    /// <summary>The same, blocking the calling thread.</summary>
    T Rent(TimeSpan timeout);

    /// <summary>Returns an item. One that is no longer usable is destroyed, and its capacity is released.</summary>
    void Return(T item);
}
