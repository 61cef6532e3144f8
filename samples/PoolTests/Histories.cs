using Poolhouse.Testing;

namespace Poolhouse.Samples.PoolTests;

internal static class Histories
{
    // snippet: test-history
    public static async Task CheckAsync()
    {
        var history = new HistoryRecorder();
        var policy = new ScriptedPolicy<Session>(() => Record(new Session(), history)) { OnDestroy = history.Destroying };
        await using var pool = new ResourcePool<Session>(policy, new ResourcePoolOptions { MaxSize = 2 });

        await Task.WhenAll(Enumerable.Range(0, 8).Select(_ => Task.Run(() => RentOftenAsync(pool, history))));

        Console.WriteLine($"{history.GetRents().Count} rents, {history.FindViolations(maxLive: 2).Count} violations.");
    }

    private static async Task RentOftenAsync(ResourcePool<Session> pool, HistoryRecorder history)
    {
        for (var i = 0; i < 50; i++)
        {
            var ticket = history.Call();
            var renting = pool.RentAsync();
            if (!renting.IsCompleted)
            {
                ticket.Queued();
            }

            using var lease = await renting;
            ticket.Rented(lease.Value);
            await Task.Yield();
            ticket.Ending();
        }
    }
    // end snippet

    private static Session Record(Session session, HistoryRecorder history)
    {
        history.Created(session);
        return session;
    }
}
