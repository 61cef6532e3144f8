namespace Poolhouse.Kernel.Leases;

internal static class LeaseErrors
{
    public static ObjectDisposedException Ended(string? pool) => new(
        pool,
        $"The lease of an item of pool '{pool ?? "none"}' has ended: it was disposed, discarded or detached, possibly through " +
        "a copy. Use the item only while its lease is active.");
}
