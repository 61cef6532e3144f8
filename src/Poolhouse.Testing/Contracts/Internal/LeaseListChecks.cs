using System.Collections.Concurrent;

namespace Poolhouse.Testing.Contracts.Internal;

/// <summary>I12: a lease that has ended is not listed, and one that is active is.</summary>
internal static class LeaseListChecks
{
    private const int Users = 4;
    private const int Rounds = 50;

    public static IEnumerable<(string Promise, string Name, Func<ContractTrial, Task> Run)> All =>
    [
        ("I12", "The list of leases has the active ones, the oldest first", ListedAsync),
        ("I12", "While leases begin and end, no ended lease is listed, and never more than MaxSize", UnderLoadAsync),
    ];

    private static async Task ListedAsync(ContractTrial trial)
    {
        var pool = trial.Open(trial.Script(), 4);
        ExpectListed(trial, pool, []);
        var leases = new List<(Lease<ContractItem> Lease, DateTimeOffset Since)>();
        for (var number = 0; number < 4; number++)
        {
            await RentAsync().ConfigureAwait(false);
        }

        // One that was returned, one that was discarded and one that was detached; and the next leases of their capacity.
        leases[1].Lease.Dispose();
        await EndedAsync(1).ConfigureAwait(false);
        leases[0].Lease.Discard();
        await EndedAsync(0).ConfigureAwait(false);
        trial.Detach(leases[^1].Lease);
        await EndedAsync(leases.Count - 1).ConfigureAwait(false);
        foreach (var (lease, _) in leases)
        {
            lease.Dispose();
        }

        ExpectListed(trial, pool, []);

        async Task RentAsync()
        {
            leases.Add((await trial.RentAsync(pool).ConfigureAwait(false), trial.Clock.GetUtcNow()));
            trial.Clock.Advance(TimeSpan.FromSeconds(1));
            ExpectListed(trial, pool, leases);
        }

        Task EndedAsync(int index)
        {
            leases.RemoveAt(index);
            ExpectListed(trial, pool, leases);
            return RentAsync();
        }
    }

    private static void ExpectListed(
        ContractTrial trial, ContractPool pool, List<(Lease<ContractItem> Lease, DateTimeOffset Since)> leases)
    {
        var now = trial.Clock.GetUtcNow();
        for (var max = 0; max <= leases.Count + 1; max++)
        {
            var expected = leases.Take(max).Select(lease => (lease.Lease.Info.ItemNumber, now - lease.Since));
            var listed = pool.GetLeases(max).Select(lease => (lease.ItemNumber, lease.LeasedFor));
            trial.ExpectEqual(
                string.Join(", ", expected), string.Join(", ", listed), FormattableString.Invariant($"The oldest {max} leases"));
        }
    }

    /// <summary>Each item is leased once: so its number identifies the listed lease.</summary>
    private static async Task UnderLoadAsync(ContractTrial trial)
    {
        var pool = trial.Open(trial.Script(), Users + 1);
        var oldest = await trial.RentAsync(pool).ConfigureAwait(false);
        var oldestNumber = oldest.Info.ItemNumber;
        trial.Clock.Advance(TimeSpan.FromSeconds(1));
        var endings = new ConcurrentDictionary<long, int>();
        var ended = 0;
        var users = Task.WhenAll(Enumerable.Range(0, Users).Select(_ => Task.Run(UseAsync)));
        await trial.KeepOnAsync(ListAsync, () => users.IsCompleted, "the end of the users' work").ConfigureAwait(false);
        await users.ConfigureAwait(false);
        List();
        trial.ExpectEqual(1, pool.GetLeases(int.MaxValue).Count, "Leases listed after all but one have ended");

        async Task UseAsync()
        {
            for (var round = 0; round < Rounds; round++)
            {
                var lease = await trial.BeginRentAsync(pool).ConfigureAwait(false);
                var number = lease.Info.ItemNumber;
                if (round == 0)
                {
                    // One lease of each user is certainly listed, however rarely the other thread runs.
                    List();
                }

                await Task.Yield();
                lease.Discard();
                endings[number] = Interlocked.Increment(ref ended);
            }
        }

        async Task ListAsync()
        {
            List();
            await Task.Yield();
        }

        void List()
        {
            var before = Volatile.Read(ref ended);
            var leases = pool.GetLeases(int.MaxValue);
            trial.Expect(
                leases.Count <= Users + 1,
                FormattableString.Invariant($"{leases.Count} leases are listed, but MaxSize is {Users + 1}."));
            trial.Expect(
                leases.Count > 0 && leases[0].ItemNumber == oldestNumber, "The oldest lease is not the first one of the list.");
            trial.ExpectEqual(
                leases.Count, leases.Select(lease => lease.ItemNumber).Distinct().Count(),
                "Items in the list of leases, each of which has one owner");
            foreach (var lease in leases)
            {
                trial.Expect(
                    !endings.TryGetValue(lease.ItemNumber, out var ending) || ending > before,
                    FormattableString.Invariant(
                        $"The lease of item {lease.ItemNumber} is listed, although it had ended before."));
            }
        }
    }
}
