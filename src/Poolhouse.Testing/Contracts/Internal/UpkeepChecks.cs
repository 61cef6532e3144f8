namespace Poolhouse.Testing.Contracts.Internal;

/// <summary>I17 and I18: lifetime and idle limits, the minimum, the bound.</summary>
internal static class UpkeepChecks
{
    private static readonly TimeSpan _limit = TimeSpan.FromMinutes(10);

    public static IEnumerable<(string Promise, string Name, Func<ContractTrial, Task> Run)> All =>
    [
        ("I17", "An idle item is destroyed when it reaches its lifetime, and not before", LifetimeAsync),
        ("I17", "A leased item outlives its lifetime and is destroyed when it is returned", LeasedLifetimeAsync),
        ("I17", "Items created together do not expire together", JitterAsync),
        ("I17", "Idle items are destroyed after IdleTimeout, down to MinIdle", IdleTimeoutAsync),
        ("I17", "A leased item is not idle, however long the lease lasts", LeasedIsNotIdleAsync),
        ("I17", "Surplus items age out in the order Lifo, and are all used in the order Fifo", IdleOrderAsync),
        ("I18", "A warm-up ends when the requested number of items is alive", WarmUpAsync),
        ("I18", "MinIdle is filled at the start and after losses", MinIdleAsync),
        ("I18", "A lower MaxSize is reached as items become idle, and leases continue", SmallerAsync),
        ("I18", "Bounds that change under load are reached", ResizeUnderLoadAsync),
        ("I18", "Trim destroys idle items and keeps leased ones", TrimAsync),
    ];

    /// <summary>
    /// One caller at a time: the order determines whether it uses one item, so that the others age, or all in turn.
    /// </summary>
    private static async Task IdleOrderAsync(ContractTrial trial)
    {
        var policy = trial.Script();
        var pool = trial.Open(policy, 4, options => options.IdleTimeout = _limit);
        foreach (var lease in await trial.RentManyAsync(pool, 4).ConfigureAwait(false))
        {
            lease.Dispose();
        }

        for (var round = 0; round < 12; round++)
        {
            trial.Clock.Advance(_limit / 6);
            (await trial.RentAsync(pool).ConfigureAwait(false)).Dispose();
            await trial.AtRestAsync(pool).ConfigureAwait(false);
        }

        var agesOut = trial.IdleOrder == IdleOrder.Lifo;
        trial.Expect(
            policy.Live < 4 == agesOut,
            FormattableString.Invariant($"{policy.Live} of 4 items are left by one caller in the order {trial.IdleOrder}."));
    }

    private static async Task WarmUpAsync(ContractTrial trial)
    {
        var policy = trial.Script();
        var pool = trial.Open(policy, 4);
        await trial.SoonAsync(pool.WarmUpAsync(3), "the end of the warm-up").ConfigureAwait(false);
        trial.ExpectEqual(3, policy.Live, "Items alive after the warm-up");
    }

    private static async Task LifetimeAsync(ContractTrial trial)
    {
        var policy = trial.Script();
        var pool = trial.Open(policy, 1, options => options.MaxLifetime = _limit);
        (await trial.RentAsync(pool).ConfigureAwait(false)).Dispose();
        trial.Clock.Advance(_limit - TimeSpan.FromSeconds(1));
        await ExpectIdleAsync(trial, policy, pool, 1, "before its time").ConfigureAwait(false);
        trial.Clock.Advance(TimeSpan.FromSeconds(1));
        trial.Expect(!pool.TryRent(out _), "An item was rented that had reached its lifetime.");
        await trial.UntilAsync(() => policy.DestroyReasons is [DestroyReason.Lifetime], "the item is destroyed")
            .ConfigureAwait(false);
    }

    private static async Task LeasedLifetimeAsync(ContractTrial trial)
    {
        var policy = trial.Script();
        var pool = trial.Open(policy, 1, options => options.MaxLifetime = _limit);
        var lease = await trial.RentAsync(pool).ConfigureAwait(false);
        trial.Clock.Advance(_limit * 2);
        await trial.SettleAsync().ConfigureAwait(false);
        trial.Expect(lease.IsActive && policy.Live == 1, "An item was destroyed while it was leased.");
        lease.Dispose();
        await trial.UntilAsync(() => policy.DestroyReasons is [DestroyReason.Lifetime], "the item is destroyed")
            .ConfigureAwait(false);
    }

    private static async Task JitterAsync(ContractTrial trial)
    {
        var policy = trial.Script();
        var pool = trial.Open(policy, 24, options =>
        {
            options.MaxLifetime = _limit;
            options.LifetimeJitter = 0.5;
        });
        await trial.SoonAsync(pool.WarmUpAsync(24), "the end of the warm-up").ConfigureAwait(false);
        trial.Clock.Advance(_limit * 0.49);
        await ExpectIdleAsync(trial, policy, pool, 24, "before the earliest end").ConfigureAwait(false);
        trial.Clock.Advance(_limit * 0.26);
        await trial.UntilAsync(() => policy.Live < 24, "some of 24 items are destroyed after three quarters of the lifetime")
            .ConfigureAwait(false);
        await trial.AtRestAsync(pool).ConfigureAwait(false);
        trial.Expect(policy.Live > 0, "None of 24 items is alive after three quarters of the lifetime.");

        // Slightly more than the whole time: the pool checks in whole milliseconds.
        trial.Clock.Advance(_limit * 0.26);
        await trial.UntilAsync(() => policy.Live == 0, "all items are destroyed in the end").ConfigureAwait(false);
    }

    private static async Task IdleTimeoutAsync(ContractTrial trial)
    {
        var policy = trial.Script();
        var pool = trial.Open(policy, 4, options =>
        {
            options.IdleTimeout = _limit;
            options.MinIdle = 1;
        });
        foreach (var lease in await trial.RentManyAsync(pool, 4).ConfigureAwait(false))
        {
            lease.Dispose();
        }

        trial.Clock.Advance(_limit - TimeSpan.FromSeconds(1));
        await ExpectIdleAsync(trial, policy, pool, 4, "before they were idle long enough").ConfigureAwait(false);
        await trial.AdvanceUntilAsync(
            pool, TimeSpan.FromMinutes(1), () => policy.Live == 1 && ContractTrial.IsAtRest(pool.GetStatistics()),
            "idle items are destroyed down to the minimum").ConfigureAwait(false);
        trial.Clock.Advance(_limit * 5);
        await trial.AtRestAsync(pool).ConfigureAwait(false);
        trial.ExpectEqual(1, policy.Live, "Items alive for MinIdle");
        trial.ExpectEqual(3L, pool.GetStatistics().DestroyedFor(DestroyReason.Idle), "Items destroyed because they were idle");
    }

    private static async Task LeasedIsNotIdleAsync(ContractTrial trial)
    {
        var policy = trial.Script(PolicyHooks.KeepAlive);
        var pool = trial.Open(policy, 1, options =>
        {
            options.IdleTimeout = _limit;
            options.KeepAliveInterval = TimeSpan.FromMinutes(1);
        });
        var lease = await trial.RentAsync(pool).ConfigureAwait(false);
        trial.Clock.Advance(_limit * 3);
        await trial.SettleAsync().ConfigureAwait(false);
        trial.Expect(lease.IsActive && policy.Live == 1, "An item was destroyed while it was leased.");
        trial.ExpectEqual(0, policy.KeepingAlive.Calls, "Keep-alives of a leased item");
    }

    private static async Task MinIdleAsync(ContractTrial trial)
    {
        var policy = trial.Script();
        var pool = trial.Open(policy, 4, options => options.MinIdle = 2);
        await trial.UntilAsync(() => pool.GetStatistics().Idle == 2, "the minimum is filled").ConfigureAwait(false);
        foreach (var lease in await trial.RentManyAsync(pool, 2).ConfigureAwait(false))
        {
            lease.Discard();
        }

        await trial.AdvanceUntilAsync(
            pool, TimeSpan.FromSeconds(1), () => pool.GetStatistics().Idle == 2, "the minimum is filled again")
                .ConfigureAwait(false);
        await trial.AtRestAsync(pool).ConfigureAwait(false);
        trial.Expect(policy.Live <= 4, "More items are alive than MaxSize.");
    }

    private static async Task SmallerAsync(ContractTrial trial)
    {
        var policy = trial.Script();
        var pool = trial.Open(policy, 4);
        var leases = await trial.RentManyAsync(pool, 4).ConfigureAwait(false);
        leases[0].Dispose();
        pool.Resize(2);
        await trial.UntilAsync(() => policy.Live == 3, "the idle item is destroyed").ConfigureAwait(false);
        trial.Expect(leases.Skip(1).All(lease => lease.IsActive), "Lowering MaxSize ended a lease.");
        leases[1].Dispose();
        await trial.UntilAsync(() => policy.Live == 2, "the surplus goes when it comes back").ConfigureAwait(false);
        leases[2].Dispose();
        leases[3].Dispose();
        await trial.AtRestAsync(pool).ConfigureAwait(false);
        trial.ExpectEqual(2, policy.Live, "Items alive within the new bound");
        pool.Resize(1);
        await trial.AtRestAsync(pool).ConfigureAwait(false);
        trial.ExpectEqual(1, policy.Live, "Items alive after one of two idle items had to go");
        trial.ExpectEqual(3L, pool.GetStatistics().DestroyedFor(DestroyReason.Surplus), "Items destroyed as surplus");
    }

    private static async Task ResizeUnderLoadAsync(ContractTrial trial)
    {
        var policy = trial.Script();
        var pool = trial.Open(policy, 6);
        var users = Enumerable.Range(0, 6).Select(_ => Task.Run(async () =>
        {
            for (var round = 0; round < 100; round++)
            {
                var lease = await trial.BeginRentAsync(pool).ConfigureAwait(false);
                await Task.Yield();
                lease.Dispose();
            }
        })).ToList();
        var size = 0;
        await trial.KeepOnAsync(
            async () =>
            {
                pool.Resize(1 + (size++ % 6));
                await Task.Yield();
            },
            () => users.TrueForAll(user => user.IsCompleted),
            "the users end").ConfigureAwait(false);

        await trial.SoonAsync(Task.WhenAll(users), "the end of the users").ConfigureAwait(false);
        pool.Resize(2);
        await trial.AtRestAsync(pool).ConfigureAwait(false);
        trial.Expect(policy.Live <= 2, FormattableString.Invariant($"{policy.Live} items are alive under a bound of 2."));
        trial.Expect(
            policy.MostLive <= 6,
            FormattableString.Invariant($"{policy.MostLive} items were alive at once; no bound was above 6."));
        pool.Resize(6);
        await trial.RentManyAsync(pool, 6).ConfigureAwait(false);
    }

    private static async Task TrimAsync(ContractTrial trial)
    {
        var policy = trial.Script();
        var pool = trial.Open(policy, 3);
        var leases = await trial.RentManyAsync(pool, 3).ConfigureAwait(false);
        leases[0].Dispose();
        leases[1].Dispose();
        trial.ExpectEqual(2, pool.Trim(), "Items that Trim reports as destroyed");
        await trial.UntilAsync(() => policy.Live == 1, "idle items are destroyed").ConfigureAwait(false);
        trial.Expect(leases[2].IsActive && !policy.IsDestroyed(leases[2].Value), "Trim destroyed a leased item.");
    }

    /// <summary>The pool's counters show its decisions at once; its hooks start later, on a busy machine much later.</summary>
    private static async Task ExpectIdleAsync(
        ContractTrial trial, ScriptedPolicy<ContractItem> policy, ContractPool pool, int count, string when)
    {
        await trial.SettleAsync().ConfigureAwait(false);
        trial.ExpectEqual(count, pool.GetStatistics().Idle, $"Items idle {when}");
        trial.ExpectEqual(count, policy.Live, $"Items alive {when}");
    }
}
