namespace Poolhouse.Testing.Contracts.Internal;

/// <summary>I1 to I3: one owner, a strict bound, nothing lost.</summary>
internal static class OwnershipChecks
{
    private const int Users = 4;
    private const int Rounds = 200;

    public static IEnumerable<(string Promise, string Name, Func<ContractTrial, Task> Run)> All =>
    [
        ("I1", "An item has one owner at a time", OneOwnerAsync),
        ("I1", "An item that is reset after each use has one owner at a time", OneOwnerWithResetAsync),
        ("I2", "The number of live items never exceeds MaxSize", BoundHoldsAsync),
        ("I2", "Capacity is held from the start of a creation until the item is destroyed", CapacityIsHeldAsync),
        ("I3", "When no operation is in progress, every created item is idle, destroyed or detached", BooksBalanceAsync),
        ("I3", "A detached item belongs to the caller, and its capacity is released", DetachedAsync),
    ];

    private static Task OneOwnerAsync(ContractTrial trial) => StormAsync(trial, PolicyHooks.None);

    private static Task OneOwnerWithResetAsync(ContractTrial trial) => StormAsync(trial, PolicyHooks.Reset);

    private static async Task StormAsync(ContractTrial trial, PolicyHooks hooks)
    {
        var pool = trial.Open(trial.Script(hooks), 2);
        var both = await trial.RentManyAsync(pool, 2).ConfigureAwait(false);
        trial.Expect(!ReferenceEquals(both[0].Value, both[1].Value), "One item was rented to two callers at once.");
        Array.ForEach(both, lease => lease.Dispose());
        var recorder = new HistoryRecorder();
        await UseAsync(trial, async _ =>
        {
            var ticket = recorder.Call();
            var renting = trial.BeginRentAsync(pool);
            var lease = await renting.ConfigureAwait(false);
            ticket.Rented(lease.Value);
            trial.Expect(lease.Value.TryTake(), "An item was rented to two callers at once.");
            await Task.Yield();
            lease.Value.Release();
            ticket.Ending();
            lease.Dispose();
        }).ConfigureAwait(false);
        trial.ExpectEqual(Users * Rounds, recorder.GetRents().Count, "Rents that ended");
        trial.Expect(recorder.FindViolations(2) is [], string.Join(' ', recorder.FindViolations(2)));
    }

    private static async Task BoundHoldsAsync(ContractTrial trial)
    {
        var policy = trial.Script();
        var pool = trial.Open(policy, 3);
        await UseAsync(trial, async round =>
        {
            var lease = await trial.BeginRentAsync(pool).ConfigureAwait(false);
            if (round % 3 == 0)
            {
                lease.Discard();
            }
            else
            {
                lease.Dispose();
            }
        }).ConfigureAwait(false);
        trial.Expect(policy.MostLive <= 3, FormattableString.Invariant($"{policy.MostLive} items were alive at once."));
        trial.Expect(
            pool.GetStatistics().PeakLive <= 3,
            FormattableString.Invariant($"The pool reports a peak of {pool.GetStatistics().PeakLive} live items."));
    }

    private static async Task CapacityIsHeldAsync(ContractTrial trial)
    {
        var policy = trial.Script();
        var pool = trial.Open(policy, 1);
        policy.Creating.Outcome = HookOutcome.Hang;
        var first = await trial.QueueAsync(pool).ConfigureAwait(false);
        var second = await trial.QueueAsync(pool).ConfigureAwait(false);
        await trial.UntilAsync(() => policy.Creating.Running >= 1, "a creation begins").ConfigureAwait(false);
        await trial.SettleAsync().ConfigureAwait(false);
        trial.ExpectEqual(1, pool.GetStatistics().Live, "Capacity in use for two callers");
        trial.ExpectEqual(1, policy.Creating.MostRunning, "Pending creations with a capacity of one");
        policy.Creating.Release();
        var lease = await trial.SoonAsync(first, "the item").ConfigureAwait(false);

        policy.Destroying.Outcome = HookOutcome.Hang;
        lease.Discard();
        await trial.UntilAsync(() => policy.Destroying.Running == 1, "the destruction begins").ConfigureAwait(false);
        await trial.SettleAsync().ConfigureAwait(false);
        trial.ExpectEqual(1, policy.Creating.Calls, "Creations while the capacity was held by an item being destroyed");
        policy.Recover();
        await trial.UntilAsync(() => policy.Creating.Calls == 2, "the released capacity is used").ConfigureAwait(false);
        await trial.SoonAsync(second, "the item").ConfigureAwait(false);
    }

    private static async Task BooksBalanceAsync(ContractTrial trial)
    {
        var policy = trial.Script(PolicyHooks.Reset);
        var pool = trial.Open(policy, 4);
        policy.Resetting.Next(HookOutcome.Succeed, HookOutcome.Fail, HookOutcome.Refuse);
        for (var round = 0; round < 12; round++)
        {
            var leases = await trial.RentManyAsync(pool, 4).ConfigureAwait(false);
            leases[0].Discard();
            leases[1].Taint();
            leases[1].Dispose();
            leases[2].Dispose();
            leases[3].Dispose();
        }

        var last = await trial.RentAsync(pool).ConfigureAwait(false);

        // A pool may still create an item for a caller that got another one: the compared counts were read while no creation
        // was pending.
        var (created, live, now) = (policy.Created, policy.Live, pool.GetStatistics());
        await trial.UntilAsync(
            () =>
            {
                (created, live, now) = (policy.Created, policy.Live, pool.GetStatistics());
                return ContractTrial.IsAtRest(now) && created == policy.Created && live == policy.Live;
            },
            "no work is pending any more").ConfigureAwait(false);
        trial.ExpectEqual(now.Created, now.Idle + now.Leased + now.Destroyed + now.Detached, "Items created");
        trial.ExpectEqual(created, now.Created, "Items that the pool reports as created");
        trial.ExpectEqual(live, now.Live, "Items that the pool reports as alive");
        trial.ExpectEqual(1L, now.Leased, "Items leased");
        last.Dispose();
        await trial.AtRestAsync(pool).ConfigureAwait(false);
        trial.ExpectEqual(0L, pool.GetStatistics().Leased, "Items leased after the last return");
    }

    private static async Task DetachedAsync(ContractTrial trial)
    {
        var policy = trial.Script();
        var pool = trial.Open(policy, 1);
        var lease = await trial.RentAsync(pool).ConfigureAwait(false);
        var waiting = await trial.QueueAsync(pool).ConfigureAwait(false);
        var item = trial.Detach(lease);

        var next = await trial.SoonAsync(waiting, "another item").ConfigureAwait(false);
        trial.Expect(!ReferenceEquals(item, next.Value), "The detached item was rented again.");
        next.Dispose();
        await pool.DisposeAsync().ConfigureAwait(false);
        trial.Expect(!policy.IsDestroyed(item), "The detached item was destroyed.");
        trial.ExpectEqual(1L, pool.GetStatistics().Detached, "Items detached");
    }

    private static Task UseAsync(ContractTrial trial, Func<int, Task> use)
    {
        var users = Enumerable.Range(0, Users).Select(_ => Task.Run(async () =>
        {
            for (var round = 0; round < Rounds; round++)
            {
                await use(round).ConfigureAwait(false);
            }
        }));
        return trial.SoonAsync(Task.WhenAll(users), "the end of the users' work");
    }
}
