namespace Poolhouse.Testing.Contracts.Internal;

/// <summary>I27 and I28: no secrets in texts, and when new credentials take effect.</summary>
internal static class SecretChecks
{
    private const string Secret = "the-secret-of-the-policy";

    public static IEnumerable<(string Promise, string Name, Func<ContractTrial, Task> Run)> All =>
    [
        ("I27", "No message of the pool repeats the messages of the policy's exceptions", MessagesAsync),
        ("I27", "The pool never calls ToString on an item", NoTextAsync),
        ("I28", "Every new item is created with the current credentials", NewItemsAsync),
        ("I28", "After Clear no caller gets an item created with the old credentials", ClearedAsync),
        ("I28", "An item whose creation began before Clear is not rented after it", ClearedWhileCreatingAsync),
    ];

    private static async Task MessagesAsync(ContractTrial trial)
    {
        var messages = new List<string>();
        foreach (var mode in new[] { Timeout.InfiniteTimeSpan, TimeSpan.Zero })
        {
            var policy = trial.Script();
            policy.Creating.Failure = new InvalidOperationException(Secret);
            policy.Creating.Outcome = HookOutcome.Fail;
            var pool = trial.Open(policy, 1, options =>
            {
                options.OutageTimeout = mode;
                options.RentTimeout = TimeSpan.FromSeconds(1);
                options.MaxWaiters = 0;
            });
            var first = trial.BeginRentAsync(pool);
            await trial.UntilAsync(() => pool.GetStatistics().InOutage, "the pool notices the outage").ConfigureAwait(false);
            if (mode == TimeSpan.Zero)
            {
                messages.Add((await trial.SoonThrowsAsync<PoolUnavailableException>(first).ConfigureAwait(false)).Message);
                continue;
            }

            messages.Add(
                (await trial.SoonThrowsAsync<PoolOverloadedException>(trial.BeginRentAsync(pool)).ConfigureAwait(false)).Message);
            trial.Clock.Advance(TimeSpan.FromSeconds(1));
            messages.Add((await trial.SoonThrowsAsync<PoolUnavailableException>(first).ConfigureAwait(false)).Message);
        }

        foreach (var message in messages)
        {
            trial.Expect(!message.Contains(Secret, StringComparison.Ordinal), $"A message contains the secret: {message}");
            trial.Expect(message.Contains("contract", StringComparison.Ordinal), $"A message does not name the pool: {message}");
        }
    }

    private static async Task NoTextAsync(ContractTrial trial)
    {
        var policy = trial.Script(PolicyHooks.Reset | PolicyHooks.Validate);
        var pool = trial.Open(policy, 2, options =>
        {
            options.TrackLeases = true;
            options.LeakThreshold = TimeSpan.FromSeconds(1);
        });
        var leases = await trial.RentManyAsync(pool, 2).ConfigureAwait(false);
        var items = leases.Select(lease => lease.Value).ToList();
        var waiting = await trial.QueueAsync(pool, TimeSpan.FromSeconds(2)).ConfigureAwait(false);
        trial.Clock.Advance(TimeSpan.FromSeconds(2));
        await trial.SoonThrowsAsync<PoolTimeoutException>(waiting).ConfigureAwait(false);
        policy.Resetting.Next(HookOutcome.Fail);
        policy.Destroying.Next(HookOutcome.Fail);
        leases[0].Dispose();
        leases[1].Dispose();
        leases[1].Dispose();
        await trial.AtRestAsync(pool).ConfigureAwait(false);
        pool.Clear();
        await trial.SoonAsync(pool.DisposeAsync().AsTask(), "the end of the disposal").ConfigureAwait(false);
        trial.ExpectEqual(0, items.Sum(item => item.Looks), "Calls of ToString");
    }

    private static async Task NewItemsAsync(ContractTrial trial)
    {
        var pool = trial.Open(trial.Script(), 3);
        foreach (var credentials in new[] { "first", "second", "third" })
        {
            trial.Credentials = credentials;
            var lease = await trial.RentAsync(pool).ConfigureAwait(false);
            trial.ExpectEqual(credentials, lease.Value.MadeFrom, "The credentials used to create a new item");
        }
    }

    private static async Task ClearedAsync(ContractTrial trial)
    {
        var policy = trial.Script();
        var pool = trial.Open(policy, 3);
        var leases = await trial.RentManyAsync(pool, 3).ConfigureAwait(false);
        leases[0].Dispose();
        leases[1].Dispose();
        trial.Credentials = "second";
        pool.Clear();
        trial.Expect(leases[2].IsActive, "Clear ended a lease.");
        leases[2].Dispose();
        foreach (var lease in await trial.RentManyAsync(pool, 3).ConfigureAwait(false))
        {
            trial.ExpectEqual("second", lease.Value.MadeFrom, "The credentials of an item that was rented after Clear");
        }

        trial.ExpectEqual(3L, pool.GetStatistics().DestroyedFor(DestroyReason.Cleared), "Items destroyed by Clear");
    }

    private static async Task ClearedWhileCreatingAsync(ContractTrial trial)
    {
        var policy = trial.Script();
        var pool = trial.Open(policy, 1);
        policy.Creating.Next(HookOutcome.Hang);
        var waiting = await trial.QueueAsync(pool).ConfigureAwait(false);
        await trial.UntilAsync(() => policy.Creating.Running == 1, "the creation begins").ConfigureAwait(false);
        pool.Clear();
        policy.Creating.Release();
        await trial.SoonAsync(waiting, "an item").ConfigureAwait(false);
        trial.ExpectEqual(2, policy.Creating.Calls, "Creations");
        trial.Expect(
            policy.DestroyReasons is [DestroyReason.Cleared], "The item whose creation began before Clear was not destroyed.");
    }
}
