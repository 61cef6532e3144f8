namespace Poolhouse.Testing.Contracts.Internal;

/// <summary>I4 and I5: the order of arrival, and no lost wake-ups.</summary>
internal static class QueueChecks
{
    public static IEnumerable<(string Promise, string Name, Func<ContractTrial, Task> Run)> All =>
    [
        ("I4", "Callers are served in the order of arrival, blocked and asynchronous ones alike", OrderOfArrivalAsync),
        ("I4", "New callers never overtake a waiter", NobodyOvertakesAsync),
        ("I4", "A caller that gives up does not change the order of the others", OrderAroundCancelledAsync),
        ("I4", "Under load no caller is served before one that was waiting when it arrived", OrderUnderLoadAsync),
        ("I5", "A returned item always reaches a caller that waits for it", NoLostWakeUpAsync),
        ("I5", "A resumed pool serves all waiters", ResumeServesAsync),
        ("I5", "Raising MaxSize serves waiters", LargerBoundServesAsync),
    ];

    private static async Task OrderOfArrivalAsync(ContractTrial trial)
    {
        var pool = trial.Open(trial.Script(), 1);
        var lease = await trial.RentAsync(pool).ConfigureAwait(false);
        var waiting = new List<Task<Lease<ContractItem>>>();
        for (var i = 0; i < 8; i++)
        {
            var next = i % 2 == 0 ? trial.QueueAsync(pool) : trial.QueueOtherwiseAsync(pool);
            waiting.Add(await next.ConfigureAwait(false));
        }

        while (waiting.Count > 0)
        {
            lease.Dispose();
            await trial.UntilAsync(() => waiting.Exists(rent => rent.IsCompleted), "a caller is served").ConfigureAwait(false);
            var served = waiting.FindIndex(rent => rent.IsCompleted);
            trial.ExpectEqual(0, served, "Waiters ahead of the caller that was served");
            lease = await waiting[0].ConfigureAwait(false);
            waiting.RemoveAt(0);
        }
    }

    private static async Task NobodyOvertakesAsync(ContractTrial trial)
    {
        var pool = trial.Open(trial.Script(), 1);
        var lease = await trial.RentAsync(pool).ConfigureAwait(false);
        var waiting = await trial.QueueAsync(pool).ConfigureAwait(false);

        // The same thread rents again at once: no other caller can be quicker.
        lease.Dispose();
        trial.Expect(!pool.TryRent(out _), "An item that belonged to a waiting caller was rented to a later caller.");
        var second = await trial.SoonAsync(waiting, "the item").ConfigureAwait(false);
        second.Dispose();
    }

    private static async Task OrderAroundCancelledAsync(ContractTrial trial)
    {
        var pool = trial.Open(trial.Script(), 1);
        var lease = await trial.RentAsync(pool).ConfigureAwait(false);
        using var cancellation = new CancellationTokenSource();
        var first = await trial.QueueAsync(pool).ConfigureAwait(false);
        var second = await trial.QueueAsync(pool, cancellationToken: cancellation.Token).ConfigureAwait(false);
        var third = await trial.QueueAsync(pool).ConfigureAwait(false);
        await cancellation.CancelAsync().ConfigureAwait(false);
        await trial.SoonThrowsAsync<OperationCanceledException>(second).ConfigureAwait(false);

        lease.Dispose();
        lease = await trial.SoonAsync(first, "the first caller's item").ConfigureAwait(false);
        trial.Expect(!third.IsCompleted, "The third caller was served together with the first, with one item alive.");
        lease.Dispose();
        await trial.SoonAsync(third, "the third caller's item").ConfigureAwait(false);
    }

    private static async Task OrderUnderLoadAsync(ContractTrial trial)
    {
        var pool = trial.Open(trial.Script(), 2);
        var recorder = new HistoryRecorder();
        var users = Enumerable.Range(0, 5).Select(_ => Task.Run(async () =>
        {
            for (var round = 0; round < 100; round++)
            {
                var ticket = recorder.Call();
                var renting = trial.BeginRentAsync(pool);
                if (!renting.IsCompleted && !trial.IsSynchronous)
                {
                    ticket.Queued();
                }

                var lease = await renting.ConfigureAwait(false);
                ticket.Rented(lease.Value);
                await Task.Yield();
                ticket.Ending();
                lease.Dispose();
            }
        }));
        await trial.SoonAsync(Task.WhenAll(users), "the end of the users' work").ConfigureAwait(false);
        trial.Expect(recorder.FindViolations(2) is [], string.Join(' ', recorder.FindViolations(2)));
    }

    private static async Task NoLostWakeUpAsync(ContractTrial trial)
    {
        var pool = trial.Open(trial.Script(), 1);
        var lease = await trial.RentAsync(pool).ConfigureAwait(false);
        for (var round = 0; round < 300; round++)
        {
            var ending = lease;
            var meeting = new MeetingPoint();
            var returning = Task.Run(() =>
            {
                meeting.Meet();
                ending.Dispose();
            });
            meeting.Meet();
            lease = await trial.RentAsync(pool).ConfigureAwait(false);
            await returning.ConfigureAwait(false);
        }
    }

    private static async Task ResumeServesAsync(ContractTrial trial)
    {
        var pool = trial.Open(trial.Script(), 2);
        (await trial.RentAsync(pool).ConfigureAwait(false)).Dispose();

        // Only an item that is idle by then can be rented in spite of the suspension.
        await trial.AtRestAsync(pool).ConfigureAwait(false);
        pool.Suspend();
        trial.Expect(!pool.TryRent(out _), "A suspended pool rented an item.");
        var first = await trial.QueueAsync(pool).ConfigureAwait(false);
        var second = await trial.QueueAsync(pool).ConfigureAwait(false);

        // What a wrong pool has begun for the callers must have ended: only then have they left the queue.
        await trial.AtRestAsync(pool).ConfigureAwait(false);
        await trial.SettleAsync().ConfigureAwait(false);
        trial.Expect(
            !first.IsCompleted && !second.IsCompleted && pool.GetStatistics().Waiting == 2, "A suspended pool served a caller.");
        pool.Resume();
        await trial.SoonAsync(first, "the first caller's item").ConfigureAwait(false);
        await trial.SoonAsync(second, "the second caller's item").ConfigureAwait(false);
    }

    private static async Task LargerBoundServesAsync(ContractTrial trial)
    {
        var pool = trial.Open(trial.Script(), 1);
        await trial.RentAsync(pool).ConfigureAwait(false);
        var second = await trial.QueueAsync(pool).ConfigureAwait(false);
        var third = await trial.QueueAsync(pool).ConfigureAwait(false);
        pool.Resize(3);
        await trial.SoonAsync(second, "the second item").ConfigureAwait(false);
        await trial.SoonAsync(third, "the third item").ConfigureAwait(false);
    }
}
