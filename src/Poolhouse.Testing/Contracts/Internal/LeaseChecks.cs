namespace Poolhouse.Testing.Contracts.Internal;

/// <summary>I9, I12 and I13: a lease ends once, and does not affect another caller.</summary>
internal static class LeaseChecks
{
    public static IEnumerable<(string Promise, string Name, Func<ContractTrial, Task> Run)> All =>
    [
        ("I9", "An ended lease cannot taint the next lease of its item", LateTaintAsync),
        ("I9", "An ended lease cannot end the next lease of its item", LateEndAsync),
        ("I9", "The token of a served rent does not affect later waiters", LateCancelAsync),
        ("I9", "The deadline of a served rent does not affect later waiters", LateDeadlineAsync),
        ("I12", "A second return is harmless and counted", SecondReturnAsync),
        ("I12", "Of two threads that end one lease, one wins and the other is counted", TwoThreadsAsync),
        ("I12", "An ended lease does not return its item", StaleUseAsync),
        ("I13", "A lease of another pool is rejected", ForeignLeaseAsync),
    ];

    private static async Task LateTaintAsync(ContractTrial trial)
    {
        var policy = trial.Script();
        var pool = trial.Open(policy, 1);
        var ended = await trial.RentAsync(pool).ConfigureAwait(false);
        ended.Dispose();
        var next = await trial.RentAsync(pool).ConfigureAwait(false);
        ended.Taint();
        pool.Invalidate(ended);
        next.Dispose();
        await trial.RentAsync(pool).ConfigureAwait(false);
        trial.ExpectEqual(1, policy.Created, "Items created");
    }

    private static async Task LateEndAsync(ContractTrial trial)
    {
        var pool = trial.Open(trial.Script(), 1);
        var ended = await trial.RentAsync(pool).ConfigureAwait(false);
        ended.Dispose();
        var next = await trial.RentAsync(pool).ConfigureAwait(false);
        ended.Dispose();
        ended.Discard();
        trial.Expect(next.IsActive, "The next lease was ended.");
        trial.Expect(!pool.TryRent(out _), "The item was rented to two callers.");
        trial.ExpectEqual(2L, pool.GetStatistics().DoubleReturns, "Double returns counted");
    }

    private static async Task LateCancelAsync(ContractTrial trial)
    {
        var pool = trial.Open(trial.Script(), 1);
        using var cancellation = new CancellationTokenSource();
        for (var round = 0; round < 20; round++)
        {
            var first = await trial.RentAsync(pool).ConfigureAwait(false);
            var waiting = await trial.QueueAsync(pool, cancellationToken: cancellation.Token).ConfigureAwait(false);
            first.Dispose();
            (await trial.SoonAsync(waiting, "the item").ConfigureAwait(false)).Dispose();
        }

        var held = await trial.RentAsync(pool).ConfigureAwait(false);
        var next = await trial.QueueAsync(pool).ConfigureAwait(false);
        await cancellation.CancelAsync().ConfigureAwait(false);
        await trial.SettleAsync().ConfigureAwait(false);
        trial.Expect(!next.IsCompleted && held.IsActive, "A token of an earlier rent reached a later one.");
        held.Dispose();
        await trial.SoonAsync(next, "the item").ConfigureAwait(false);
    }

    private static async Task LateDeadlineAsync(ContractTrial trial)
    {
        var pool = trial.Open(trial.Script(), 1);
        var held = await trial.RentAsync(pool).ConfigureAwait(false);
        var waiting = await trial.QueueAsync(pool, TimeSpan.FromSeconds(1)).ConfigureAwait(false);
        held.Dispose();
        held = await trial.SoonAsync(waiting, "the item").ConfigureAwait(false);
        var next = await trial.QueueAsync(pool, TimeSpan.FromSeconds(5)).ConfigureAwait(false);
        trial.Clock.Advance(TimeSpan.FromSeconds(2));
        await trial.SettleAsync().ConfigureAwait(false);
        trial.Expect(!next.IsCompleted && held.IsActive, "The deadline of an earlier rent reached a later one.");
        held.Dispose();
        await trial.SoonAsync(next, "the item").ConfigureAwait(false);
    }

    private static async Task SecondReturnAsync(ContractTrial trial)
    {
        var pool = trial.Open(trial.Script(), 2);
        var lease = await trial.RentAsync(pool).ConfigureAwait(false);
        var copy = lease;
        lease.Dispose();
        copy.Dispose();
        await copy.DisposeAsync().ConfigureAwait(false);
        trial.ExpectEqual(2L, pool.GetStatistics().DoubleReturns, "Double returns counted");
        trial.ExpectEqual(1, pool.GetStatistics().Idle, "Idle items");
        var leases = await trial.RentManyAsync(pool, 2).ConfigureAwait(false);
        trial.Expect(!ReferenceEquals(leases[0].Value, leases[1].Value), "The item that was returned twice was rented twice.");
    }

    private static async Task TwoThreadsAsync(ContractTrial trial)
    {
        var pool = trial.Open(trial.Script(), 1);
        for (var round = 0; round < 200; round++)
        {
            var lease = await trial.RentAsync(pool).ConfigureAwait(false);
            var meeting = new MeetingPoint();
            var other = Task.Run(() =>
            {
                meeting.Meet();
                lease.Dispose();
            });
            meeting.Meet();
            lease.Dispose();
            await other.ConfigureAwait(false);
            trial.ExpectEqual(round + 1L, pool.GetStatistics().DoubleReturns, "Double returns counted");
            trial.ExpectEqual(1, pool.GetStatistics().Live, "Capacity in use");
        }

        trial.ExpectEqual(1L, pool.GetStatistics().Created, "Items created");
    }

    private static async Task StaleUseAsync(ContractTrial trial)
    {
        var pool = trial.Open(trial.Script(), 1);
        var lease = await trial.RentAsync(pool).ConfigureAwait(false);
        lease.Dispose();

        // Its item already belongs to another caller.
        var next = await trial.RentAsync(pool).ConfigureAwait(false);
        trial.Expect(!lease.IsActive, "An ended lease reports that it is active.");
        await ExpectEndedAsync(trial, () => lease.Value).ConfigureAwait(false);
        await ExpectEndedAsync(trial, () => lease.Info).ConfigureAwait(false);
        await ExpectEndedAsync(trial, () => lease.Detach()).ConfigureAwait(false);
        trial.Expect(next.IsActive, "The next lease was ended.");
        trial.ExpectEqual(1L, next.Info.Uses - 1, "Uses of the item before");
    }

    private static async Task ForeignLeaseAsync(ContractTrial trial)
    {
        var mine = trial.Open(trial.Script(), 1);
        var policy = trial.Script();
        var other = trial.Open(policy, 1);
        var lease = await trial.RentAsync(other).ConfigureAwait(false);
        await trial.SoonThrowsAsync<ArgumentException>(Task.Run(() => mine.Invalidate(lease))).ConfigureAwait(false);
        lease.Dispose();
        await trial.RentAsync(other).ConfigureAwait(false);
        trial.ExpectEqual(1, policy.Created, "Items created by the other pool");
    }

    private static Task<ObjectDisposedException> ExpectEndedAsync<TResult>(ContractTrial trial, Func<TResult> use) =>
        trial.SoonThrowsAsync<ObjectDisposedException>(Task.Run(use));
}
