namespace Poolhouse.Testing.Contracts.Internal;

/// <summary>I14: leases outlive the pool.</summary>
internal static class DisposalChecks
{
    public static IEnumerable<(string Promise, string Name, Func<ContractTrial, Task> Run)> All =>
    [
        ("I14", "A lease outlives the disposal of the pool", LeaseSurvivesAsync),
        ("I14", "Disposal ends the waits and rejects new callers", WaitsEndAsync),
        ("I14", "Each item is destroyed exactly once, whatever its state at the disposal", DestroyedOnceAsync),
        ("I14", "An item whose creation completes after the disposal is destroyed", CreationOvertakenAsync),
        ("I14", "Disposal at any moment of rents and returns leaves nothing alive", DisposalRaceAsync),
        ("I14", "Draining serves waiters and rejects new callers", DrainAsync),
        ("I14", "A second disposal is harmless", TwiceAsync),
    ];

    private static async Task LeaseSurvivesAsync(ContractTrial trial)
    {
        var policy = trial.Script();
        var pool = trial.Open(policy, 1);
        var lease = await trial.RentAsync(pool).ConfigureAwait(false);
        await trial.SoonAsync(pool.DisposeAsync().AsTask(), "the end of the disposal").ConfigureAwait(false);
        trial.Expect(lease.IsActive && !policy.IsDestroyed(lease.Value), "The item was destroyed while it was leased.");
        lease.Dispose();
        await trial.UntilAsync(() => policy.Live == 0, "the item is destroyed when its lease ends").ConfigureAwait(false);
    }

    private static async Task WaitsEndAsync(ContractTrial trial)
    {
        var pool = trial.Open(trial.Script(), 1);
        await trial.RentAsync(pool).ConfigureAwait(false);
        var first = await trial.QueueAsync(pool).ConfigureAwait(false);
        var second = await trial.QueueOtherwiseAsync(pool).ConfigureAwait(false);
        await trial.SoonAsync(pool.DisposeAsync().AsTask(), "the end of the disposal").ConfigureAwait(false);
        await trial.SoonThrowsAsync<ObjectDisposedException>(first).ConfigureAwait(false);
        await trial.SoonThrowsAsync<ObjectDisposedException>(second).ConfigureAwait(false);
        await trial.SoonThrowsAsync<ObjectDisposedException>(trial.BeginRentAsync(pool)).ConfigureAwait(false);
        await trial.SoonThrowsAsync<ObjectDisposedException>(Task.Run(() => pool.TryRent(out _))).ConfigureAwait(false);
    }

    private static async Task DestroyedOnceAsync(ContractTrial trial)
    {
        var policy = trial.Script(PolicyHooks.Reset | PolicyHooks.Validate);
        var pool = trial.Open(policy, 5);
        var leases = await trial.RentManyAsync(pool, 5).ConfigureAwait(false);
        leases[0].Dispose();
        await trial.AtRestAsync(pool).ConfigureAwait(false);

        // One idle, one leased, one in a reset, one in a destruction, one in a validation.
        leases[1].Dispose();
        await trial.AtRestAsync(pool).ConfigureAwait(false);
        policy.Resetting.Outcome = HookOutcome.Hang;
        policy.Destroying.Next(HookOutcome.Hang);
        policy.Validating.Outcome = HookOutcome.Hang;
        leases[2].Dispose();
        leases[3].Discard();
        await trial.UntilAsync(() => policy.Destroying.Running == 1 && policy.Resetting.Running == 1, "the hooks begin")
            .ConfigureAwait(false);
        trial.Expect(!pool.TryRent(out _), "TryRent rented an item that must be validated first.");
        await trial.UntilAsync(() => policy.Validating.Running == 1, "the validation begins").ConfigureAwait(false);

        var disposing = pool.DisposeAsync().AsTask();
        policy.Recover();
        await trial.SoonAsync(disposing, "the end of the disposal").ConfigureAwait(false);
        trial.ExpectEqual(1, policy.Live, "Items alive in addition to one leased item");
        leases[4].Dispose();

        // An item is no longer live a moment before its destruction is counted.
        await trial.UntilAsync(() => policy is { Live: 0, Destroying.Calls: >= 5 }, "the last item is destroyed")
            .ConfigureAwait(false);
        trial.ExpectEqual(5, policy.Destroying.Calls, "Destructions of 5 items");
    }

    private static async Task CreationOvertakenAsync(ContractTrial trial)
    {
        var policy = trial.Script();
        var pool = trial.Open(policy, 1);
        policy.Creating.Outcome = HookOutcome.Hang;
        var waiting = await trial.QueueAsync(pool).ConfigureAwait(false);
        await trial.UntilAsync(() => policy.Creating.Running == 1, "the creation begins").ConfigureAwait(false);
        var disposing = pool.DisposeAsync().AsTask();
        await trial.SoonThrowsAsync<ObjectDisposedException>(waiting).ConfigureAwait(false);
        policy.Recover();
        await trial.SoonAsync(disposing, "the end of the disposal").ConfigureAwait(false);
        await trial.UntilAsync(() => policy is { Created: 1, Live: 0 }, "the late item is destroyed").ConfigureAwait(false);
    }

    private static async Task DisposalRaceAsync(ContractTrial trial)
    {
        for (var round = 0; round < 20; round++)
        {
            var policy = trial.Script(round % 2 == 0 ? PolicyHooks.None : PolicyHooks.Reset);
            var pool = trial.Open(policy, 2);
            var users = Enumerable.Range(0, 3).Select(_ => Task.Run(() => UseUntilDisposedAsync(trial, pool))).ToList();
            await trial.UntilAsync(() => policy.Created > 0, "the users begin").ConfigureAwait(false);
            await trial.SoonAsync(pool.DisposeAsync().AsTask(), "the end of the disposal").ConfigureAwait(false);
            await trial.SoonAsync(Task.WhenAll(users), "the end of the users").ConfigureAwait(false);
            await trial.UntilAsync(() => policy.Live == 0, "everything is destroyed").ConfigureAwait(false);
            await trial.UntilAsync(() => pool.GetStatistics().Live == 0, "all capacity is released").ConfigureAwait(false);
        }
    }

    private static async Task UseUntilDisposedAsync(ContractTrial trial, ContractPool pool)
    {
        try
        {
            while (true)
            {
                var lease = await trial.BeginRentAsync(pool).ConfigureAwait(false);
                lease.Dispose();
            }
        }
        catch (ObjectDisposedException)
        {
            // The pool was disposed: the end of this user.
        }
    }

    private static async Task DrainAsync(ContractTrial trial)
    {
        var policy = trial.Script();
        var pool = trial.Open(policy, 2);
        var leases = await trial.RentManyAsync(pool, 2).ConfigureAwait(false);
        var waiting = await trial.QueueAsync(pool).ConfigureAwait(false);
        var draining = pool.DrainAsync();
        await trial.SoonThrowsAsync<ObjectDisposedException>(trial.BeginRentAsync(pool)).ConfigureAwait(false);
        leases[0].Dispose();
        var served = await trial.SoonAsync(waiting, "the item for the waiter").ConfigureAwait(false);
        await trial.SettleAsync().ConfigureAwait(false);
        trial.Expect(!draining.IsCompleted, "Draining ended while items were leased.");
        leases[1].Dispose();
        served.Dispose();
        await trial.SoonAsync(draining, "the end of the draining").ConfigureAwait(false);
        trial.ExpectEqual(0, policy.Live, "Items alive in a drained pool");
    }

    private static async Task TwiceAsync(ContractTrial trial)
    {
        var policy = trial.Script();
        var pool = trial.Open(policy, 1);
        (await trial.RentAsync(pool).ConfigureAwait(false)).Dispose();
        await trial.SoonAsync(pool.DisposeAsync().AsTask(), "the end of the disposal").ConfigureAwait(false);
        await trial.SoonAsync(pool.DisposeAsync().AsTask(), "the end of the second disposal").ConfigureAwait(false);
        trial.ExpectEqual(1, policy.Destroying.Calls, "Destructions of one item");
        await trial.UntilAsync(() => pool.GetStatistics().Live == 0, "all capacity is released").ConfigureAwait(false);
    }
}
