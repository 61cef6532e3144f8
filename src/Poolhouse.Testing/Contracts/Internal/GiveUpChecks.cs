namespace Poolhouse.Testing.Contracts.Internal;

/// <summary>I6 and I7: a caller that gives up is answered at once and keeps no item.</summary>
internal static class GiveUpChecks
{
    private static readonly TimeSpan _short = TimeSpan.FromSeconds(1);

    public static IEnumerable<(string Promise, string Name, Func<ContractTrial, Task> Run)> All =>
    [
        ("I6", "A caller that cancels as its item arrives never keeps it", CancelRaceAsync),
        ("I6", "A caller that times out as its item arrives never keeps it", TimeoutRaceAsync),
        ("I6", "An item goes to the next when the caller at the head has given up", NextInLineAsync),
        ("I7", "A token cancelled before the call ends it at once", CancelledBeforeAsync),
        ("I7", "A token cancelled before the call ends it although an item is idle", CancelledBeforeIdleAsync),
        ("I7", "A rent that may not wait fails at once", NoTimeAsync),
        ("I7", "A caller beyond MaxWaiters is rejected at once", TooManyWaitersAsync),
        ("I7", "A caller times out at its deadline although all items are leased",
            trial => AnswerOnTimeAsync(trial, HeldBy.Lease, cancels: false)),
        ("I7", "A caller times out at its deadline although the creation hangs",
            trial => AnswerOnTimeAsync(trial, HeldBy.Create, cancels: false)),
        ("I7", "A caller times out at its deadline although the validation hangs",
            trial => AnswerOnTimeAsync(trial, HeldBy.Validate, cancels: false)),
        ("I7", "A caller times out at its deadline although the reset hangs",
            trial => AnswerOnTimeAsync(trial, HeldBy.Reset, cancels: false)),
        ("I7", "A caller times out at its deadline although the destruction hangs",
            trial => AnswerOnTimeAsync(trial, HeldBy.Destroy, cancels: false)),
        ("I7", "A cancelled caller gets an answer at once although all items are leased",
            trial => AnswerOnTimeAsync(trial, HeldBy.Lease, cancels: true)),
        ("I7", "A cancelled caller gets an answer at once although the creation hangs",
            trial => AnswerOnTimeAsync(trial, HeldBy.Create, cancels: true)),
        ("I7", "A cancelled caller gets an answer at once although the validation hangs",
            trial => AnswerOnTimeAsync(trial, HeldBy.Validate, cancels: true)),
        ("I7", "A cancelled caller gets an answer at once although the reset hangs",
            trial => AnswerOnTimeAsync(trial, HeldBy.Reset, cancels: true)),
        ("I7", "A cancelled caller gets an answer at once although the destruction hangs",
            trial => AnswerOnTimeAsync(trial, HeldBy.Destroy, cancels: true)),
        ("I7", "The caller of Dispose does not wait for the reset", ReturnDoesNotWaitAsync),
    ];

    private enum HeldBy
    {
        Lease,
        Create,
        Validate,
        Reset,
        Destroy,
    }

    private static async Task CancelRaceAsync(ContractTrial trial)
    {
        var pool = trial.Open(trial.Script(), 1);
        for (var round = 0; round < 200; round++)
        {
            using var cancellation = new CancellationTokenSource();
            await RaceAsync(trial, pool, timeout: null, cancellation.Cancel, cancellation.Token).ConfigureAwait(false);
        }
    }

    private static async Task TimeoutRaceAsync(ContractTrial trial)
    {
        var pool = trial.Open(trial.Script(), 1);
        for (var round = 0; round < 200; round++)
        {
            await RaceAsync(trial, pool, _short, () => trial.Clock.Advance(_short), default).ConfigureAwait(false);
        }
    }

    /// <summary>
    /// An item is returned at the moment when the caller gives up; then it must be with the caller or in the pool.
    /// </summary>
    private static async Task RaceAsync(
        ContractTrial trial, ContractPool pool, TimeSpan? timeout, Action giveUp, CancellationToken cancellationToken)
    {
        var lease = await trial.RentAsync(pool).ConfigureAwait(false);
        var waiting = await trial.QueueAsync(pool, timeout, cancellationToken).ConfigureAwait(false);
        var meeting = new MeetingPoint();
        var giving = Task.Run(
            () =>
            {
                meeting.Meet();
                giveUp();
            },
            CancellationToken.None);
        meeting.Meet();
        lease.Dispose();
        await giving.ConfigureAwait(false);
        try
        {
            (await trial.SoonAsync(waiting, "the caller's answer").ConfigureAwait(false)).Dispose();
        }
        catch (Exception answer) when (answer is TimeoutException or OperationCanceledException)
        {
            // It gave up first.
        }

        trial.Expect(pool.GetStatistics().Waiting == 0, "A caller that got its answer is still in the queue.");
        (await trial.RentAsync(pool).ConfigureAwait(false)).Dispose();
        trial.ExpectEqual(1L, pool.GetStatistics().Created, "Items created");
    }

    private static async Task NextInLineAsync(ContractTrial trial)
    {
        var pool = trial.Open(trial.Script(), 1);
        var lease = await trial.RentAsync(pool).ConfigureAwait(false);
        using var cancellation = new CancellationTokenSource();
        var impatient = new List<Task<Lease<ContractItem>>>();
        for (var i = 0; i < 3; i++)
        {
            impatient.Add(
                await trial.QueueAsync(pool, i == 1 ? _short : null, i == 1 ? default : cancellation.Token)
                    .ConfigureAwait(false));
        }

        var patient = await trial.QueueAsync(pool).ConfigureAwait(false);
        await cancellation.CancelAsync().ConfigureAwait(false);
        trial.Clock.Advance(_short);
        lease.Dispose();
        await trial.SoonAsync(patient, "the patient caller's item").ConfigureAwait(false);
        await trial.SoonThrowsAsync<OperationCanceledException>(impatient[0]).ConfigureAwait(false);
        await trial.SoonThrowsAsync<PoolTimeoutException>(impatient[1]).ConfigureAwait(false);
        await trial.SoonThrowsAsync<OperationCanceledException>(impatient[2]).ConfigureAwait(false);
    }

    private static async Task CancelledBeforeAsync(ContractTrial trial)
    {
        var policy = trial.Script();
        var pool = trial.Open(policy, 1);
        await trial.SoonThrowsAsync<OperationCanceledException>(RentCancelledAsync(trial, pool)).ConfigureAwait(false);
        trial.ExpectEqual(0, policy.Creating.Calls, "Creations for a caller that had cancelled");
    }

    private static async Task CancelledBeforeIdleAsync(ContractTrial trial)
    {
        // A wrapper around the policy has every hook: with a pending validation, no caller would get the item at once.
        var pool = trial.Open(trial.Script(), 1, options => options.ValidateAfterIdle = TimeSpan.FromMinutes(1));
        (await trial.RentAsync(pool).ConfigureAwait(false)).Dispose();
        await trial.SoonThrowsAsync<OperationCanceledException>(RentCancelledAsync(trial, pool)).ConfigureAwait(false);
        (await trial.RentAsync(pool).ConfigureAwait(false)).Dispose();
    }

    // Not with the contract's way to rent: TryRent takes no token, and may begin a creation.
    private static Task<Lease<ContractItem>> RentCancelledAsync(ContractTrial trial, ContractPool pool)
    {
        var cancelled = new CancellationToken(canceled: true);
        return trial.IsSynchronous
            ? OwnThread.RunAsync(() => pool.Rent(timeout: null, cancelled))
            : pool.RentAsync(timeout: null, cancelled).AsTask();
    }

    private static async Task TooManyWaitersAsync(ContractTrial trial)
    {
        var pool = trial.Open(trial.Script(), 1, options => options.MaxWaiters = 1);
        var lease = await trial.RentAsync(pool).ConfigureAwait(false);
        var waiting = await trial.QueueAsync(pool).ConfigureAwait(false);
        await trial.SoonThrowsAsync<PoolOverloadedException>(trial.BeginRentAsync(pool)).ConfigureAwait(false);
        lease.Dispose();
        await trial.SoonAsync(waiting, "the item of the caller that was allowed to wait").ConfigureAwait(false);
    }

    private static async Task NoTimeAsync(ContractTrial trial)
    {
        var pool = trial.Open(trial.Script(), 1);
        await trial.RentAsync(pool).ConfigureAwait(false);
        var timeout =
            await trial.SoonThrowsAsync<PoolTimeoutException>(trial.BeginRentAsync(pool, TimeSpan.Zero)).ConfigureAwait(false);
        trial.ExpectEqual(RentPhase.Return, timeout.Phase, "The reported phase of the wait");
    }

    private static async Task AnswerOnTimeAsync(ContractTrial trial, HeldBy holder, bool cancels)
    {
        var policy = trial.Script(PolicyHooks.Validate | PolicyHooks.Reset);
        var pool = trial.Open(policy, 1, options =>
        {
            // Longer than the caller may wait, so that it cannot be one of these that answers it.
            options.CreateTimeout = TimeSpan.FromMinutes(10);
            options.ValidateTimeout = TimeSpan.FromMinutes(10);
            options.ResetTimeout = TimeSpan.FromMinutes(10);
            options.DestroyTimeout = TimeSpan.FromMinutes(10);
        });
        await HoldAsync(trial, policy, pool, holder).ConfigureAwait(false);
        using var cancellation = new CancellationTokenSource();
        var waiting = await trial.QueueAsync(pool, cancels ? null : _short, cancellation.Token).ConfigureAwait(false);
        if (cancels)
        {
            await cancellation.CancelAsync().ConfigureAwait(false);
            await trial.SoonThrowsAsync<OperationCanceledException>(waiting).ConfigureAwait(false);
        }
        else
        {
            trial.Clock.Advance(_short - TimeSpan.FromMilliseconds(1));
            await trial.SettleAsync().ConfigureAwait(false);
            trial.Expect(!waiting.IsCompleted, "The caller got an answer before its timeout.");
            trial.Clock.Advance(TimeSpan.FromMilliseconds(1));
            var timeout = await trial.SoonThrowsAsync<PoolTimeoutException>(waiting).ConfigureAwait(false);
            trial.ExpectEqual(_short, timeout.Elapsed, "The reported wait of the caller");
        }

        trial.ExpectEqual(0, pool.GetStatistics().Waiting, "Callers in the queue");
    }

    /// <summary>Occupies the whole capacity of a pool with work that never ends.</summary>
    private static async Task HoldAsync(
        ContractTrial trial, ScriptedPolicy<ContractItem> policy, ContractPool pool, HeldBy holder)
    {
        if (holder == HeldBy.Create)
        {
            policy.Creating.Outcome = HookOutcome.Hang;
            return;
        }

        var lease = await trial.RentAsync(pool).ConfigureAwait(false);
        switch (holder)
        {
            case HeldBy.Validate:
                lease.Dispose();
                await trial.AtRestAsync(pool).ConfigureAwait(false);
                policy.Validating.Outcome = HookOutcome.Hang;
                break;
            case HeldBy.Reset:
                policy.Resetting.Outcome = HookOutcome.Hang;
                lease.Dispose();
                break;
            case HeldBy.Destroy:
                policy.Destroying.Outcome = HookOutcome.Hang;
                lease.Discard();
                break;
            default:
                break;
        }
    }

    private static async Task ReturnDoesNotWaitAsync(ContractTrial trial)
    {
        var policy = trial.Script(PolicyHooks.Reset);
        var pool = trial.Open(policy, 1);
        var lease = await trial.RentAsync(pool).ConfigureAwait(false);
        policy.Resetting.Outcome = HookOutcome.Hang;
        await trial.SoonAsync(OwnThread.RunAsync(lease.Dispose), "the end of Dispose").ConfigureAwait(false);
        trial.Expect(!lease.IsActive, "The lease has not ended.");
        await trial.UntilAsync(() => policy.Resetting.Running == 1, "the reset begins").ConfigureAwait(false);
    }
}
