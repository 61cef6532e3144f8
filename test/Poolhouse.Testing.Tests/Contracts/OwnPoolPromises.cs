namespace Poolhouse.Testing.Tests.Contracts;

/// <summary>
/// A custom pool, written with public members only, keeps the promises that do not need the engine of this library.
/// </summary>
public sealed class OwnPoolPromises
{
    // Not those of resets, validation, keep-alive, lifetimes, outages and warm-ups, which this pool does not have.
    public static TheoryData<string> Names =>
    [
        "An item has one owner at a time",
        "The number of live items never exceeds MaxSize",
        "Capacity is held from the start of a creation until the item is destroyed",
        "A detached item belongs to the caller, and its capacity is released",
        "Callers are served in the order of arrival, blocked and asynchronous ones alike",
        "New callers never overtake a waiter",
        "A caller that gives up does not change the order of the others",
        "Under load no caller is served before one that was waiting when it arrived",
        "A returned item always reaches a caller that waits for it",
        "A resumed pool serves all waiters",
        "Raising MaxSize serves waiters",
        "A caller that cancels as its item arrives never keeps it",
        "A caller that times out as its item arrives never keeps it",
        "An item goes to the next when the caller at the head has given up",
        "A token cancelled before the call ends it at once",
        "A token cancelled before the call ends it although an item is idle",
        "A rent that may not wait fails at once",
        "A caller beyond MaxWaiters is rejected at once",
        "A caller times out at its deadline although all items are leased",
        "A caller times out at its deadline although the creation hangs",
        "A caller times out at its deadline although the destruction hangs",
        "A cancelled caller gets an answer at once although all items are leased",
        "A cancelled caller gets an answer at once although the creation hangs",
        "A cancelled caller gets an answer at once although the destruction hangs",
        "A return on an interrupted thread returns the item",
        "A tainted item is not reused",
        "A discarded item is not reused",
        "Items older than a fatal error are not reused",
        "After one report of a fatal error no stale item is rented",
        "After Clear no caller gets an item created with the old credentials",
        "An item whose creation began before Clear is not rented after it",
        "A lease of another pool is rejected",
        "An ended lease cannot taint the next lease of its item",
        "An ended lease cannot end the next lease of its item",
        "The token of a served rent does not affect later waiters",
        "The deadline of a served rent does not affect later waiters",
        "A second return is harmless and counted",
        "Of two threads that end one lease, one wins and the other is counted",
        "An ended lease does not return its item",
        "A lease outlives the disposal of the pool",
        "Disposal ends the waits and rejects new callers",
        "An item whose creation completes after the disposal is destroyed",
        "Disposal at any moment of rents and returns leaves nothing alive",
        "Draining serves waiters and rejects new callers",
        "A second disposal is harmless",
        "No more items are created than callers need",
        "A creation whose caller gave up serves the next caller",
        "A creation is not cancelled with its caller",
        "A lower MaxSize is reached as items become idle, and leases continue",
        "Bounds that change under load are reached",
        "Trim destroys idle items and keeps leased ones",
        "No hook runs on the stack of a caller that returns an item",
        "No waiter resumes on the stack of the caller that returns an item",
    ];

    [Theory]
    [MemberData(nameof(Names))]
    public Task Keeps(string name) =>
        new OwnContract().Checks.Single(check => string.Equals(check.Name, name, StringComparison.Ordinal)).RunAsync();

    private sealed class OwnContract : ResourcePoolContract
    {
        protected override ContractPool CreatePool(ResourcePolicy<ContractItem> policy, ResourcePoolOptions options) =>
            new OwnContractPool(new OwnPool(policy, options));
    }
}
