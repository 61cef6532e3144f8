namespace Poolhouse.Contracts;

/// <summary>The checks that a shared pool cannot pass, because it behaves differently or lacks the feature.</summary>
internal static class SharedExceptions
{
    public static IReadOnlySet<string> Names { get; } = new HashSet<string>(StringComparer.Ordinal)
    {
        // An item in service is not rented and returned: it is not reset or proved clean between two uses, and not validated
        // before one. KeepAliveAsync checks it periodically and after a tainted use, and others continue to use it
        // meanwhile.
        "A caller times out at its deadline although the validation hangs",
        "A caller times out at its deadline although the reset hangs",
        "A cancelled caller gets an answer at once although the validation hangs",
        "A cancelled caller gets an answer at once although the reset hangs",
        "The caller of Dispose does not wait for the reset",
        "A tainted item is not reused",
        "A tainted item that the policy proves clean is reused",
        "A tainted item whose proof fails or hangs is not reused",
        "An idle item that fails its validation is not rented",
        "An item is validated only after it was idle for ValidateAfterIdle",
        "A reset that fails destroys the item and releases its capacity",
        "A reset that rejects the item destroys it and releases its capacity",
        "A reset that hangs is abandoned at its deadline, and its capacity is released",
        "A reset that ends after it was abandoned does not return the item to the pool",
        "A validation that fails destroys the item and releases its capacity",
        "A validation that rejects the item destroys it and releases its capacity",
        "A validation that hangs is abandoned at its deadline, and its capacity is released",
        "A keep-alive that hangs is abandoned at its deadline, and its capacity is released",
        "A leased item is not idle, however long the lease lasts",
        "Surplus items age out in the order Lifo, and are all used in the order Fifo",
        "Each item is destroyed exactly once, whatever its state at the disposal",
        "An ended lease does not return its item",
        "An unreferenced caller without a deadline is served when a hanging validation is abandoned",
        "An unreferenced caller without a deadline is served when a hanging reset is abandoned",

        // The options of a shared pool reject MaxUses: one long lease has many uses.
        "An item that was leased MaxUses times is destroyed when it is returned, and not before",

        // Another item is created as soon as one is full, one at a time, for all waiters; its failure reaches all of them. An
        // expired item that is the last one is replaced without a request.
        "With an OutageTimeout of zero, callers are refused at once with the failed creation as the cause",
        "A second return is harmless and counted",
        "The number of concurrent creations never exceeds MaxConcurrentCreates",
        "No more items are created than callers need",
        "Items created together do not expire together",
        "Every new item is created with the current credentials",

        // There is no Resize, and no Invalidate: a broken item is discarded.
        "Raising MaxSize serves waiters",
        "A lower MaxSize is reached as items become idle, and leases continue",
        "Bounds that change under load are reached",
        "Items older than a fatal error are not reused",
        "An ended lease cannot taint the next lease of its item",
        "A lease of another pool is rejected",
        "After one report of a fatal error no stale item is rented",
    };
}
