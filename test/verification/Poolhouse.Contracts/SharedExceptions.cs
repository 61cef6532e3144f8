namespace Poolhouse.Contracts;

/// <summary>The checks that a shared pool cannot keep, because what they are about is not so, or is not there.</summary>
internal static class SharedExceptions
{
    public static IReadOnlySet<string> Names { get; } = new HashSet<string>(StringComparer.Ordinal)
    {
        // An item at work is not rented and returned: nothing is reset or proved clean between two uses, nothing is validated before
        // one. KeepAliveAsync looks after it, in intervals and after a use that was tainted, and others go on using it meanwhile.
        "A caller's time is up at its deadline although the validation hangs",
        "A caller's time is up at its deadline although the reset hangs",
        "A cancelled caller is answered at once although the validation hangs",
        "A cancelled caller is answered at once although the reset hangs",
        "The caller of Dispose does not wait for the reset",
        "A tainted item is not used again",
        "A tainted item that the policy proves clean is used again",
        "A tainted item whose proof fails or hangs is not used again",
        "An idle item that fails its validation is not handed out",
        "An item is validated only after it was idle for ValidateAfterIdle",
        "A reset that fails costs the item and not its place",
        "A reset that refuses costs the item and not its place",
        "A reset that hangs is given up at its deadline, and its place is free",
        "A reset that ends after it was given up does not bring the item back",
        "A validation that fails costs the item and not its place",
        "A validation that refuses costs the item and not its place",
        "A validation that hangs is given up at its deadline, and its place is free",
        "A keep-alive that hangs is given up at its deadline, and its place is free",
        "A leased item is not idle, however long the lease lasts",
        "Surplus items age out in the order Lifo, and are all used in the order Fifo",
        "Each item is destroyed exactly once, wherever the disposal finds it",
        "A lease that has ended gives no item",
        "A forgotten caller without a deadline is served when a hanging validation is given up",
        "A forgotten caller without a deadline is served when a hanging reset is given up",

        // Another item is made as soon as one is full, one at a time, for all who wait; its failure is told to all of them. The last
        // item that is merely old is replaced although nobody asks.
        "A failed creation reaches the caller that waited longest, unchanged, and no other",
        "An item that comes back serves a caller although creations fail",
        "A second return is harmless and counted",
        "Never more items are under creation at once than MaxConcurrentCreates",
        "Never more items are made than callers ask for",
        "Items made together do not die together",
        "Every new item is made from the credentials in force",

        // Places are given in the order of arrival; which item a use gets is decided a moment later, when its caller runs again.
        "Under load nobody is served before one who waited when he came",

        // There is no Resize, and no Invalidate: a broken item is discarded.
        "A larger bound serves those who wait",
        "A smaller bound is reached as items become idle, and leases go on",
        "Bounds that change under load are reached",
        "Items older than a fatal error are not used again",
        "An ended lease cannot taint the next lease of its item",
        "A lease of another pool is rejected",
        "Stale items cost one report: after it none of them is handed out",
    };
}
