namespace Poolhouse.Testing.Contracts.Internal;

/// <summary>I10, I11 and I33: the effects of hooks that fail, hang or end late.</summary>
internal static class FaultChecks
{
    private static readonly TimeSpan _limit = TimeSpan.FromSeconds(5);

    public static IEnumerable<(string Promise, string Name, Func<ContractTrial, Task> Run)> All =>
    [
        ("I10", "A reset that fails destroys the item and releases its capacity", trial => ResetAsync(trial, HookOutcome.Fail)),
        ("I10", "A reset that rejects the item destroys it and releases its capacity",
            trial => ResetAsync(trial, HookOutcome.Refuse)),
        ("I10", "A reset that hangs is abandoned at its deadline, and its capacity is released",
            trial => ResetAsync(trial, HookOutcome.Hang)),
        ("I10", "A validation that fails destroys the item and releases its capacity",
            trial => ValidateAsync(trial, HookOutcome.Fail)),
        ("I10", "A validation that rejects the item destroys it and releases its capacity",
            trial => ValidateAsync(trial, HookOutcome.Refuse)),
        ("I10", "A validation that hangs is abandoned at its deadline, and its capacity is released",
            trial => ValidateAsync(trial, HookOutcome.Hang)),
        ("I10", "A keep-alive that fails destroys the item and releases its capacity",
            trial => KeepAliveAsync(trial, HookOutcome.Fail)),
        ("I10", "A keep-alive that hangs is abandoned at its deadline, and its capacity is released",
            trial => KeepAliveAsync(trial, HookOutcome.Hang)),
        ("I10", "A destruction that fails releases its capacity", trial => DestroyAsync(trial, HookOutcome.Fail)),
        ("I10", "A destruction that hangs is abandoned at its deadline, and its capacity is released",
            trial => DestroyAsync(trial, HookOutcome.Hang)),
        ("I10", "A creation that hangs is abandoned at its deadline, and its capacity is released", HangingCreateAsync),
        ("I10", "An item whose creation was abandoned is destroyed when it arrives late", LateCreateAsync),
        ("I10", "A reset that ends after it was abandoned does not return the item to the pool", LateResetAsync),
        ("I10", "A creation that returns null is a failure, and its capacity is released", NullAsync),
        ("I33", "With an OutageTimeout of zero, callers are refused at once with the failed creation as the cause",
            FailFastAsync),
        ("I33", "A caller is refused when it has waited for OutageTimeout, with the cause", RefusedAsync),
        ("I11", "A failed creation is retried, and callers wait through it", RetriedAsync),
        ("I33", "A timeout during an outage is a refusal with the last failure", TimeoutCarriesFailureAsync),
        ("I11", "A returned item serves a caller although creations fail", ReturnDuringOutageAsync),
    ];

    private static async Task ResetAsync(ContractTrial trial, HookOutcome outcome)
    {
        var policy = trial.Script(PolicyHooks.Reset);
        var pool = trial.Open(policy, 1);
        var lease = await trial.RentAsync(pool).ConfigureAwait(false);
        policy.Resetting.Next(outcome);
        lease.Dispose();
        await ExpectCapacityReleasedAsync(trial, policy, policy.Resetting, pool, outcome, DestroyReason.ResetFailed)
            .ConfigureAwait(false);
    }

    private static async Task ValidateAsync(ContractTrial trial, HookOutcome outcome)
    {
        var policy = trial.Script(PolicyHooks.Validate);
        var pool = trial.Open(policy, 1);
        (await trial.RentAsync(pool).ConfigureAwait(false)).Dispose();
        policy.Validating.Next(outcome);
        await ExpectCapacityReleasedAsync(trial, policy, policy.Validating, pool, outcome, DestroyReason.ValidationFailed)
            .ConfigureAwait(false);
    }

    private static async Task KeepAliveAsync(ContractTrial trial, HookOutcome outcome)
    {
        var policy = trial.Script(PolicyHooks.KeepAlive);
        var pool = trial.Open(policy, 1, options => options.KeepAliveInterval = TimeSpan.FromMinutes(1));
        (await trial.RentAsync(pool).ConfigureAwait(false)).Dispose();
        policy.KeepingAlive.Next(outcome);
        await trial.AdvanceUntilAsync(
            pool, TimeSpan.FromSeconds(10), () => policy.KeepingAlive.Calls == 1, "an idle item is kept alive")
                .ConfigureAwait(false);
        if (outcome == HookOutcome.Fail)
        {
            // No caller has to wait for an item that several callers use at the same time: such a pool may rent it until the
            // failure is known.
            await trial.UntilAsync(() => policy.DestroyReasons.Count == 1, "the item is destroyed").ConfigureAwait(false);
        }

        await ExpectCapacityReleasedAsync(trial, policy, policy.KeepingAlive, pool, outcome, DestroyReason.KeepAliveFailed)
            .ConfigureAwait(false);
    }

    private static async Task DestroyAsync(ContractTrial trial, HookOutcome outcome)
    {
        var policy = trial.Script();
        var pool = trial.Open(policy, 1);
        var lease = await trial.RentAsync(pool).ConfigureAwait(false);
        policy.Destroying.Next(outcome);
        lease.Discard();
        await ExpectCapacityReleasedAsync(trial, policy, policy.Destroying, pool, outcome, DestroyReason.Discarded)
            .ConfigureAwait(false);
        await trial.UntilAsync(() => pool.GetStatistics().DestroyFailures == 1, "the failed destruction is counted")
            .ConfigureAwait(false);
    }

    /// <summary>A caller that waits for the only slot gets it with a new item: at once, or when the hook times out.</summary>
    private static async Task ExpectCapacityReleasedAsync(
        ContractTrial trial, ScriptedPolicy<ContractItem> policy, ScriptedHook hook, ContractPool pool, HookOutcome outcome,
        DestroyReason reason)
    {
        var renting = trial.BeginRentAsync(pool);
        if (outcome == HookOutcome.Hang)
        {
            await trial.UntilAsync(() => hook.Running == 1, "the hook begins").ConfigureAwait(false);
            trial.Clock.Advance(_limit - TimeSpan.FromMilliseconds(1));
            await trial.SettleAsync().ConfigureAwait(false);
            trial.ExpectEqual(0L, pool.GetStatistics().Abandoned, "Hooks abandoned before their timeout");
            trial.ExpectEqual(1, policy.Created, "Items created before the timeout of the hook");
            trial.Clock.Advance(TimeSpan.FromMilliseconds(1));
        }

        var lease = await trial.SoonAsync(renting, "a lease of another item").ConfigureAwait(false);
        trial.ExpectEqual(2, policy.Created, "Items created");
        trial.ExpectEqual(1, pool.GetStatistics().Live, "Capacity in use");
        trial.ExpectEqual(1L, pool.GetStatistics().DestroyedFor(reason), $"Items destroyed for {reason}");
        trial.ExpectEqual(outcome == HookOutcome.Hang ? 1L : 0L, pool.GetStatistics().Abandoned, "Hooks abandoned");

        // The late end of the hook must change nothing.
        hook.Release();
        await trial.SettleAsync().ConfigureAwait(false);
        lease.Dispose();
        await trial.AtRestAsync(pool).ConfigureAwait(false);
        trial.ExpectEqual(1, pool.GetStatistics().Live, "Capacity in use after the late end of the hook");
    }

    private static async Task HangingCreateAsync(ContractTrial trial)
    {
        var policy = trial.Script();
        var pool = trial.Open(policy, 1, options =>
        {
            options.CreateTimeout = _limit;
            options.RentTimeout = Timeout.InfiniteTimeSpan;
        });
        policy.Creating.Next(HookOutcome.Hang);
        var renting = await trial.QueueAsync(pool).ConfigureAwait(false);
        await trial.UntilAsync(() => policy.Creating.Running == 1, "the creation begins").ConfigureAwait(false);
        await trial.AdvanceUntilAsync(pool, _limit, () => renting.IsCompleted, "the caller gets an item").ConfigureAwait(false);
        await renting.ConfigureAwait(false);
        trial.ExpectEqual(1L, pool.GetStatistics().CreateFailures, "Creations that failed");
        trial.ExpectEqual(1, pool.GetStatistics().Live, "Capacity in use");
    }

    private static async Task LateCreateAsync(ContractTrial trial)
    {
        var policy = trial.Script();
        var pool = trial.Open(policy, 1);
        policy.Creating.Next(HookOutcome.Hang);
        var renting = await trial.QueueAsync(pool, Timeout.InfiniteTimeSpan).ConfigureAwait(false);
        await trial.UntilAsync(() => policy.Creating.Running == 1, "the creation begins").ConfigureAwait(false);
        await trial.AdvanceUntilAsync(
            pool, TimeSpan.FromSeconds(15), () => renting.IsCompleted, "the caller gets an item").ConfigureAwait(false);
        policy.Creating.Release();
        await trial.UntilAsync(() => policy.DestroyReasons is [DestroyReason.CreatedTooLate], "the late item is destroyed")
            .ConfigureAwait(false);
        trial.ExpectEqual(1, pool.GetStatistics().Live, "Capacity in use");
        var lease = await renting.ConfigureAwait(false);
        trial.Expect(!policy.IsDestroyed(lease.Value), "The leased item was destroyed.");
    }

    private static async Task LateResetAsync(ContractTrial trial)
    {
        var policy = trial.Script(PolicyHooks.Reset);
        var pool = trial.Open(policy, 1);
        var lease = await trial.RentAsync(pool).ConfigureAwait(false);
        var item = lease.Value;
        policy.Resetting.Next(HookOutcome.Hang);
        lease.Dispose();
        await trial.UntilAsync(() => policy.Resetting.Running == 1, "the reset begins").ConfigureAwait(false);
        trial.Clock.Advance(_limit);
        await trial.UntilAsync(() => policy.IsDestroyed(item), "the item is destroyed").ConfigureAwait(false);
        policy.Resetting.Release();
        await trial.UntilAsync(() => policy.Resetting.Running == 0, "the reset ends").ConfigureAwait(false);
        await trial.SettleAsync().ConfigureAwait(false);
        await trial.AtRestAsync(pool).ConfigureAwait(false);
        trial.ExpectEqual(0, pool.GetStatistics().Idle, "Idle items after the late end of the reset");
        var next = await trial.RentAsync(pool).ConfigureAwait(false);
        trial.Expect(!ReferenceEquals(item, next.Value), "The item was returned to the pool.");
    }

    private static async Task NullAsync(ContractTrial trial)
    {
        var makesNull = true;
        var policy = new ScriptedPolicy<ContractItem>(() => makesNull ? null! : new ContractItem("first"));
        var pool = trial.Open(policy, 1);
        await trial.SoonThrowsAsync<InvalidOperationException>(trial.BeginRentAsync(pool)).ConfigureAwait(false);
        await trial.UntilAsync(() => pool.GetStatistics().Live == 0, "all capacity is released").ConfigureAwait(false);
        makesNull = false;
        trial.Clock.Advance(TimeSpan.FromSeconds(1));
        await trial.RentAsync(pool).ConfigureAwait(false);
    }

    private static async Task FailFastAsync(ContractTrial trial)
    {
        var policy = trial.Script();
        var pool = trial.Open(policy, 2, options => options.OutageTimeout = TimeSpan.Zero);
        var held = await trial.RentAsync(pool).ConfigureAwait(false);
        policy.Creating.Outcome = HookOutcome.Hang;
        var first = await trial.QueueAsync(pool).ConfigureAwait(false);
        var second = await trial.QueueAsync(pool).ConfigureAwait(false);
        await trial.UntilAsync(() => policy.Creating.Running == 1, "the creation begins").ConfigureAwait(false);
        policy.Creating.Outcome = HookOutcome.Fail;

        // A hanging call succeeds when it is released, so that the failure comes from the next attempt.
        policy.Creating.Release();
        (await trial.SoonAsync(first, "the first caller's item").ConfigureAwait(false)).Discard();
        var failure = await trial.SoonThrowsAsync<PoolUnavailableException>(second).ConfigureAwait(false);
        trial.Expect(ReferenceEquals(policy.Creating.Failure, failure.InnerException), "The failure is not attached.");
        trial.Expect(held.IsActive, "The failure ended the lease of another caller.");

        var late = await trial.SoonThrowsAsync<PoolUnavailableException>(trial.BeginRentAsync(pool)).ConfigureAwait(false);
        trial.Expect(ReferenceEquals(policy.Creating.Failure, late.InnerException), "The last failure is not attached.");
    }

    private static async Task RefusedAsync(ContractTrial trial)
    {
        var policy = trial.Script();
        var pool = trial.Open(policy, 1, options => options.OutageTimeout = TimeSpan.FromSeconds(2));
        policy.Creating.Outcome = HookOutcome.Fail;
        var renting = trial.BeginRentAsync(pool, Timeout.InfiniteTimeSpan);
        await trial.UntilAsync(() => pool.GetStatistics().InOutage, "the pool notices the outage").ConfigureAwait(false);
        trial.Clock.Advance(TimeSpan.FromSeconds(1.9));
        await trial.AtRestAsync(pool).ConfigureAwait(false);
        trial.Expect(!renting.IsCompleted, "The caller was refused too early.");
        trial.Clock.Advance(TimeSpan.FromSeconds(0.15));
        var refused = await trial.SoonThrowsAsync<PoolUnavailableException>(renting).ConfigureAwait(false);
        trial.Expect(ReferenceEquals(policy.Creating.Failure, refused.InnerException), "The cause is not attached.");
    }

    private static async Task RetriedAsync(ContractTrial trial)
    {
        var policy = trial.Script();
        var pool = trial.Open(policy, 2, options =>
        {
            options.MaxRetryDelay = TimeSpan.FromSeconds(1);
            options.RentTimeout = options.OutageTimeout = Timeout.InfiniteTimeSpan;
        });
        policy.Creating.Next(HookOutcome.Fail, HookOutcome.Fail, HookOutcome.Fail);
        var first = trial.BeginRentAsync(pool);
        var second = trial.BeginRentAsync(pool);
        await trial.AdvanceUntilAsync(
            pool, TimeSpan.FromMilliseconds(500), () => first.IsCompleted && second.IsCompleted, "both callers get items")
                .ConfigureAwait(false);
        await first.ConfigureAwait(false);
        await second.ConfigureAwait(false);
        trial.ExpectEqual(3L, pool.GetStatistics().CreateFailures, "Creations that failed");
    }

    private static async Task TimeoutCarriesFailureAsync(ContractTrial trial)
    {
        var policy = trial.Script();
        var pool = trial.Open(policy, 1, options => options.OutageTimeout = TimeSpan.FromSeconds(10));
        policy.Creating.Outcome = HookOutcome.Fail;
        var renting = trial.BeginRentAsync(pool, TimeSpan.FromSeconds(3));
        await trial.UntilAsync(() => pool.GetStatistics().InOutage, "the pool notices the outage").ConfigureAwait(false);
        await trial.AdvanceUntilAsync(
            pool, TimeSpan.FromMilliseconds(500), () => renting.IsCompleted, "the caller times out").ConfigureAwait(false);
        var refused = await trial.SoonThrowsAsync<PoolUnavailableException>(renting).ConfigureAwait(false);
        trial.Expect(ReferenceEquals(policy.Creating.Failure, refused.InnerException), "The last failure is not attached.");
    }

    private static async Task ReturnDuringOutageAsync(ContractTrial trial)
    {
        var policy = trial.Script();
        var pool = trial.Open(policy, 2);

        // Before the first rent: a pool may create the second item as soon as the first one is leased.
        policy.Creating.Next(HookOutcome.Succeed);
        policy.Creating.Outcome = HookOutcome.Fail;
        var held = await trial.RentAsync(pool).ConfigureAwait(false);
        var waiting = trial.BeginRentAsync(pool);
        await trial.UntilAsync(
            () => pool.GetStatistics() is { InOutage: true, Waiting: 1 }, "the caller waits and the pool notices the outage")
                .ConfigureAwait(false);
        held.Dispose();
        await trial.SoonAsync(waiting, "the returned item").ConfigureAwait(false);
    }
}
