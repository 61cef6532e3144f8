namespace Poolhouse.Testing.Contracts.Internal;

/// <summary>I8, I17 and I19: items that must not be rented.</summary>
internal static class ReuseChecks
{
    public static IEnumerable<(string Promise, string Name, Func<ContractTrial, Task> Run)> All =>
    [
        ("I8", "A tainted item is not reused", TaintedAsync),
        ("I8", "A tainted item that the policy proves clean is reused", ProvenCleanAsync),
        ("I8", "A tainted item whose proof fails or hangs is not reused", UnprovenAsync),
        ("I8", "A discarded item is not reused", DiscardedAsync),
        ("I8", "Items older than a fatal error are not reused", InvalidatedAsync),
        ("I17", "An item that was leased MaxUses times is destroyed when it is returned, and not before", UsedUpAsync),
        ("I19", "An item that broke while it was idle is not rented", BrokenIdleAsync),
        ("I19", "An item that was returned broken is not rented", BrokenReturnedAsync),
        ("I19", "An idle item that fails its validation is not rented", InvalidIdleAsync),
        ("I19", "An item is validated only after it was idle for ValidateAfterIdle", ValidatedWhenStaleAsync),
    ];

    private static async Task TaintedAsync(ContractTrial trial)
    {
        var policy = trial.Script();
        var pool = trial.Open(policy, 1);
        var lease = await trial.RentAsync(pool).ConfigureAwait(false);
        var item = lease.Value;
        lease.Taint();
        trial.Expect(lease.IsActive, "Taint ended the lease.");
        lease.Dispose();
        await ExpectReplacedAsync(trial, policy, pool, item, DestroyReason.Tainted).ConfigureAwait(false);
    }

    private static async Task ProvenCleanAsync(ContractTrial trial)
    {
        var policy = trial.Script(PolicyHooks.ProveClean | PolicyHooks.Reset);
        var pool = trial.Open(policy, 1);
        var lease = await trial.RentAsync(pool).ConfigureAwait(false);
        var item = lease.Value;
        lease.Taint();
        lease.Dispose();
        var next = await trial.RentAsync(pool).ConfigureAwait(false);
        trial.Expect(ReferenceEquals(item, next.Value), "The item was replaced, although the policy proved it clean.");
        trial.ExpectEqual(1, policy.Resetting.Calls, "Resets after the proof");
    }

    private static async Task UnprovenAsync(ContractTrial trial)
    {
        foreach (var outcome in new[] { HookOutcome.Refuse, HookOutcome.Fail, HookOutcome.Hang })
        {
            var policy = trial.Script(PolicyHooks.ProveClean);
            var pool = trial.Open(policy, 1);
            var lease = await trial.RentAsync(pool).ConfigureAwait(false);
            var item = lease.Value;
            policy.ProvingClean.Next(outcome);
            lease.Taint();
            lease.Dispose();
            await trial.UntilAsync(() => policy.ProvingClean.Calls == 1, "the policy is called").ConfigureAwait(false);
            if (outcome == HookOutcome.Hang)
            {
                // Only then: otherwise the pool would treat an outstanding answer as a late one.
                trial.Clock.Advance(TimeSpan.FromSeconds(5));
            }

            var next = await trial.RentAsync(pool).ConfigureAwait(false);
            trial.Expect(
                !ReferenceEquals(item, next.Value), $"The tainted item was reused, although its proof ended with {outcome}.");
        }
    }

    private static async Task DiscardedAsync(ContractTrial trial)
    {
        var policy = trial.Script();
        var pool = trial.Open(policy, 1);
        var lease = await trial.RentAsync(pool).ConfigureAwait(false);
        var item = lease.Value;
        lease.Discard();
        await ExpectReplacedAsync(trial, policy, pool, item, DestroyReason.Discarded).ConfigureAwait(false);
    }

    private static async Task InvalidatedAsync(ContractTrial trial)
    {
        var policy = trial.Script();
        var pool = trial.Open(policy, 3);
        var old = await trial.RentManyAsync(pool, 3).ConfigureAwait(false);
        old[1].Dispose();
        pool.Invalidate(old[0]);
        await trial.UntilAsync(() => policy.Live == 2, "the idle item of the same age is destroyed").ConfigureAwait(false);
        old[0].Dispose();
        old[2].Dispose();
        await trial.UntilAsync(() => policy.Live == 0, "leased items of the same age are destroyed when they are returned")
            .ConfigureAwait(false);

        // A second report of the same event must not affect items created since.
        var fresh = await trial.RentAsync(pool).ConfigureAwait(false);
        pool.Invalidate(old[0]);
        fresh.Dispose();
        await trial.RentAsync(pool).ConfigureAwait(false);
        trial.ExpectEqual(4, policy.Created, "Items created");
    }

    private static async Task UsedUpAsync(ContractTrial trial)
    {
        foreach (var hooks in new[] { PolicyHooks.None, PolicyHooks.Reset })
        {
            var policy = trial.Script(hooks);
            var pool = trial.Open(policy, 1, options => options.MaxUses = 3);
            var lease = await trial.RentAsync(pool).ConfigureAwait(false);
            var item = lease.Value;
            for (var uses = 1; uses < 3; uses++)
            {
                lease.Dispose();
                lease = await trial.RentAsync(pool).ConfigureAwait(false);
                trial.Expect(ReferenceEquals(item, lease.Value), $"The item was replaced after {uses} of 3 leases.");
            }

            lease.Dispose();
            await ExpectReplacedAsync(trial, policy, pool, item, DestroyReason.MaxUses).ConfigureAwait(false);
        }
    }

    private static async Task BrokenIdleAsync(ContractTrial trial)
    {
        var policy = trial.Script(PolicyHooks.IsBroken);
        var pool = trial.Open(policy, 1);
        var lease = await trial.RentAsync(pool).ConfigureAwait(false);
        var item = lease.Value;
        lease.Dispose();
        policy.Broken = other => ReferenceEquals(other, item);
        await ExpectReplacedAsync(trial, policy, pool, item, DestroyReason.Broken).ConfigureAwait(false);
    }

    private static async Task BrokenReturnedAsync(ContractTrial trial)
    {
        var policy = trial.Script(PolicyHooks.IsBroken);
        var pool = trial.Open(policy, 1);
        var lease = await trial.RentAsync(pool).ConfigureAwait(false);
        var item = lease.Value;

        // An item whose check throws counts as broken.
        policy.Broken =
            other => ReferenceEquals(other, item) ? throw new InvalidOperationException("The check itself fails.") : false;
        lease.Dispose();
        await ExpectReplacedAsync(trial, policy, pool, item, DestroyReason.Broken).ConfigureAwait(false);
    }

    private static async Task InvalidIdleAsync(ContractTrial trial)
    {
        foreach (var outcome in new[] { HookOutcome.Refuse, HookOutcome.Fail })
        {
            var policy = trial.Script(PolicyHooks.Validate);
            var pool = trial.Open(policy, 1);
            var lease = await trial.RentAsync(pool).ConfigureAwait(false);
            var item = lease.Value;
            lease.Dispose();
            policy.Validating.Next(outcome);
            await ExpectReplacedAsync(trial, policy, pool, item, DestroyReason.ValidationFailed).ConfigureAwait(false);
        }
    }

    private static async Task ValidatedWhenStaleAsync(ContractTrial trial)
    {
        var policy = trial.Script(PolicyHooks.Validate);
        var pool = trial.Open(policy, 1, options => options.ValidateAfterIdle = TimeSpan.FromSeconds(10));
        (await trial.RentAsync(pool).ConfigureAwait(false)).Dispose();
        trial.Clock.Advance(TimeSpan.FromSeconds(9));
        (await trial.RentAsync(pool).ConfigureAwait(false)).Dispose();
        trial.ExpectEqual(0, policy.Validating.Calls, "Validations of an item that was just used");
        trial.Clock.Advance(TimeSpan.FromSeconds(10));
        trial.Expect(!pool.TryRent(out _), "TryRent rented an item that must be validated first.");
        (await trial.RentAsync(pool).ConfigureAwait(false)).Dispose();
        trial.ExpectEqual(1, policy.Validating.Calls, "Validations of an item that was idle for long");
        trial.ExpectEqual(1, policy.Created, "Items created");
    }

    private static async Task ExpectReplacedAsync(
        ContractTrial trial, ScriptedPolicy<ContractItem> policy, ContractPool pool, ContractItem item, DestroyReason reason)
    {
        var next = await trial.RentAsync(pool).ConfigureAwait(false);
        trial.Expect(!ReferenceEquals(item, next.Value), "The item was reused.");
        await trial.UntilAsync(() => policy.IsDestroyed(item), "the item is destroyed").ConfigureAwait(false);
        trial.ExpectEqual(reason, policy.DestroyReasons[0], "The reason of the destruction");
        trial.ExpectEqual(
            1L, pool.GetStatistics().DestroyedFor(reason), "Items that the pool reports as destroyed for that reason");
    }
}
