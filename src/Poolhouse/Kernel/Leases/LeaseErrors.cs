namespace Poolhouse.Kernel.Leases;

internal static class LeaseErrors
{
    /// <param name="pool">The name of the pool; null for a default lease.</param>
    public static ObjectDisposedException Ended(string? pool) => pool is null ? IsDefault() : new(
        pool,
        $"The lease of an item of pool '{pool}' has ended: it was disposed, discarded or detached, possibly through a copy. Use " +
        "the item only while its lease is active.");

    private static ObjectDisposedException IsDefault() => new(
        objectName: null,
        "The lease is a default value, which is not a lease of any pool. If TryRent returned false, nothing was rented.");
}
