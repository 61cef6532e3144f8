namespace Poolhouse.Testing.Contracts.Internal;

/// <summary>I15 and I16: the pool while items cannot be created, and the number of items that it creates.</summary>
internal static class OutageChecks
{
    private static readonly TimeSpan _longestDelay = TimeSpan.FromSeconds(4);

    public static IEnumerable<(string Promise, string Name, Func<ContractTrial, Task> Run)> All =>
    [
        ("I15", "After an outage every waiter is served within one maximum retry delay", RecoveryAsync),
        ("I15", "After one report of a fatal error no stale item is rented", OneErrorAsync),
        ("I16", "During an outage creations are attempted one at a time and with delays between them", NoStormAsync),
        ("I16", "During an outage without callers the delays between creations grow", GrowingDelaysAsync),
        ("I16", "The number of concurrent creations never exceeds MaxConcurrentCreates", ConcurrentCreatesAsync),
        ("I16", "No more items are created than callers need", NoSurplusAsync),
        ("I16", "A creation whose caller gave up serves the next caller", NotWastedAsync),
        ("I16", "A creation is not cancelled with its caller", NotCancelledAsync),
    ];

    private static async Task RecoveryAsync(ContractTrial trial)
    {
        var policy = trial.Script();
        var (_, waiting) = await BeginOutageAsync(trial, policy, callers: 6).ConfigureAwait(false);
        policy.Recover();
        trial.Clock.Advance(_longestDelay);
        await trial.UntilAsync(() => waiting.All(rent => rent.IsCompletedSuccessfully), "every waiter is served")
            .ConfigureAwait(false);
    }

    private static async Task OneErrorAsync(ContractTrial trial)
    {
        var policy = trial.Script();
        var pool = trial.Open(policy, 3);
        var leases = await trial.RentManyAsync(pool, 3).ConfigureAwait(false);
        var stale = leases.Select(lease => lease.Value).ToHashSet(ReferenceEqualityComparer.Instance);
        foreach (var lease in leases)
        {
            lease.Dispose();
        }

        // The server restarts; the first caller that encounters it reports it.
        var first = await trial.RentAsync(pool).ConfigureAwait(false);
        pool.Invalidate(first);
        first.Dispose();
        foreach (var lease in await trial.RentManyAsync(pool, 3).ConfigureAwait(false))
        {
            trial.Expect(
                !stale.Contains(lease.Value), "An item created before a fatal error was rented after the error was reported.");
        }
    }

    private static async Task NoStormAsync(ContractTrial trial)
    {
        var policy = trial.Script();
        var (pool, waiting) = await BeginOutageAsync(trial, policy, callers: 12).ConfigureAwait(false);
        var before = policy.Creating.Calls;
        for (var second = 0; second < 120; second++)
        {
            trial.Clock.Advance(TimeSpan.FromSeconds(1));
            await trial.AtRestAsync(pool).ConfigureAwait(false);
        }

        // Delays of up to 2 seconds while callers wait, so about 120 attempts; a pool without back-off makes one for each caller
        // or each tick.
        var attempts = policy.Creating.Calls - before;
        trial.Expect(
            attempts <= 200, FormattableString.Invariant($"{attempts} creations were attempted in two minutes of outage."));
        trial.Expect(attempts > 0, "No creation was attempted in two minutes of outage.");
        trial.ExpectEqual(12, pool.GetStatistics().Waiting, "Callers that keep waiting");

        policy.Creating.Outcome = HookOutcome.Hang;
        await trial.AdvanceUntilAsync(
            pool, TimeSpan.FromSeconds(1), () => policy.Creating.Running == 1, "the next attempt begins").ConfigureAwait(false);
        await trial.SettleAsync().ConfigureAwait(false);
        trial.ExpectEqual(1, policy.Creating.Running, "Concurrent attempts after failures");
        policy.Recover();
        await trial.UntilAsync(() => waiting.All(rent => rent.IsCompletedSuccessfully), "every waiter is served")
            .ConfigureAwait(false);
    }

    private static async Task GrowingDelaysAsync(ContractTrial trial)
    {
        var policy = trial.Script();
        policy.Creating.Outcome = HookOutcome.Fail;
        var pool = trial.Open(policy, 1, options =>
        {
            options.MinIdle = 1;
            options.MaxRetryDelay = _longestDelay;
        });
        await trial.UntilAsync(() => policy.Creating.Calls > 0, "the pool begins to fill its minimum").ConfigureAwait(false);
        for (var second = 0; second < 300; second++)
        {
            trial.Clock.Advance(TimeSpan.FromSeconds(1));
            await trial.AtRestAsync(pool).ConfigureAwait(false);
        }

        // Pauses between zero and 4 seconds: about 150 attempts. Without growth there is at least one in each step of a second.
        var attempts = policy.Creating.Calls;
        trial.Expect(
            attempts is > 50 and < 225,
            FormattableString.Invariant($"{attempts} creations were attempted in five minutes of outage without callers."));
    }

    private static async Task ConcurrentCreatesAsync(ContractTrial trial)
    {
        var policy = trial.Script();
        var pool = trial.Open(policy, 10, options => options.MaxConcurrentCreates = 3);
        policy.Creating.Outcome = HookOutcome.Hang;
        var waiting = new List<Task<Lease<ContractItem>>>();
        for (var i = 0; i < 10; i++)
        {
            waiting.Add(await trial.QueueAsync(pool).ConfigureAwait(false));
        }

        await trial.UntilAsync(() => policy.Creating.Running >= 3, "three creations are under way").ConfigureAwait(false);
        await trial.KeepOnAsync(
            () =>
            {
                policy.Creating.Release();
                return trial.TakeTurnsAsync();
            },
            () => waiting.TrueForAll(rent => rent.IsCompleted),
            "all callers are served").ConfigureAwait(false);

        trial.ExpectEqual(3, policy.Creating.MostRunning, "The maximum of concurrent creations");
        trial.ExpectEqual(10, policy.Created, "Items created for 10 callers");
    }

    private static async Task NoSurplusAsync(ContractTrial trial)
    {
        var policy = trial.Script();
        var pool = trial.Open(policy, 10);
        var rents = Enumerable.Range(0, 3).Select(_ => trial.BeginRentAsync(pool)).ToList();
        foreach (var rent in rents)
        {
            await trial.SoonAsync(rent, "a lease").ConfigureAwait(false);
        }

        await trial.SettleAsync().ConfigureAwait(false);
        trial.ExpectEqual(3, policy.Created, "Items created for 3 callers");
    }

    private static async Task NotWastedAsync(ContractTrial trial)
    {
        var policy = trial.Script();
        var pool = trial.Open(policy, 1);
        policy.Creating.Outcome = HookOutcome.Hang;
        using var cancellation = new CancellationTokenSource();
        var impatient = await trial.QueueAsync(pool, cancellationToken: cancellation.Token).ConfigureAwait(false);
        await trial.UntilAsync(() => policy.Creating.Running == 1, "the creation begins").ConfigureAwait(false);
        await cancellation.CancelAsync().ConfigureAwait(false);
        await trial.SoonThrowsAsync<OperationCanceledException>(impatient).ConfigureAwait(false);
        var patient = await trial.QueueAsync(pool).ConfigureAwait(false);
        policy.Creating.Release();
        await trial.SoonAsync(patient, "the item created for another caller").ConfigureAwait(false);
        trial.ExpectEqual(1, policy.Creating.Calls, "Creations");
    }

    private static async Task NotCancelledAsync(ContractTrial trial)
    {
        var policy = trial.Script();
        var pool = trial.Open(policy, 1);
        policy.Creating.Outcome = HookOutcome.HangUntilCancelled;
        using var cancellation = new CancellationTokenSource();
        var impatient = await trial.QueueAsync(pool, cancellationToken: cancellation.Token).ConfigureAwait(false);
        await trial.UntilAsync(() => policy.Creating.Running == 1, "the creation begins").ConfigureAwait(false);
        await cancellation.CancelAsync().ConfigureAwait(false);
        await trial.SoonThrowsAsync<OperationCanceledException>(impatient).ConfigureAwait(false);
        await trial.SettleAsync().ConfigureAwait(false);
        trial.ExpectEqual(1, policy.Creating.Running, "Pending creations after their caller cancelled");
        policy.Creating.Release();
        await trial.AtRestAsync(pool).ConfigureAwait(false);
        trial.ExpectEqual(1L, pool.GetStatistics().Created, "Items created");
    }

    /// <summary>Callers without a timeout, and a minute in which every creation fails.</summary>
    private static async Task<(ContractPool Pool, List<Task<Lease<ContractItem>>> Waiting)> BeginOutageAsync(
        ContractTrial trial, ScriptedPolicy<ContractItem> policy, int callers)
    {
        var pool = trial.Open(policy, callers, options =>
        {
            options.RetryDelay = _longestDelay / 2;
            options.MaxRetryDelay = _longestDelay;
        });
        policy.Creating.Outcome = HookOutcome.Fail;
        var waiting = new List<Task<Lease<ContractItem>>>();
        for (var i = 0; i < callers; i++)
        {
            waiting.Add(await trial.QueueAsync(pool, Timeout.InfiniteTimeSpan).ConfigureAwait(false));
        }

        for (var second = 0; second < 60; second++)
        {
            trial.Clock.Advance(TimeSpan.FromSeconds(1));
            await trial.AtRestAsync(pool).ConfigureAwait(false);
        }

        await trial.UntilAsync(() => pool.GetStatistics().InOutage, "the pool notices that creations fail").ConfigureAwait(false);
        return (pool, waiting);
    }
}
