namespace Poolhouse.Samples.Cookbook;

internal static class Operations
{
    public static async Task WarmUpAsync()
    {
        await using var pool =
            new ResourcePool<Session>(new SessionPolicy(), new ResourcePoolOptions { MaxSize = 8, MinIdle = 2 });
        await pool.WarmUpAsync(4); // before the traffic; MinIdle keeps two ready afterwards
        Console.WriteLine($"Idle before the first caller: {pool.GetStatistics().Idle}.");
    }

    public static async Task ReplaceAllAsync()
    {
        await using var pool = new ResourcePool<Session>(new SessionPolicy(), new ResourcePoolOptions { MaxSize = 8 });
        await pool.WarmUpAsync(4);

        // snippet: recipe-blue-green
        // The new server is ready, and the name points to it: replace the sessions of the old one during the next minute. Those
        // in use are replaced when they are returned; no caller waits or fails.
        pool.Clear(TimeSpan.FromMinutes(1));

        // To stop the old server now, let callers wait meanwhile instead of failing.
        pool.Suspend();
        try
        {
            pool.Clear();
            await RestartTheServerAsync();
        }
        finally
        {
            pool.Resume();
        }
        // end snippet

        Console.WriteLine($"Replaced: {pool.GetStatistics().DestroyedFor(DestroyReason.Cleared)}.");
    }

    public static async Task FindTheSizeAsync()
    {
        await using var pool = new ResourcePool<Session>(new SessionPolicy(), new ResourcePoolOptions { MaxSize = 2 });
        await Task.WhenAll(Enumerable.Range(0, 20).Select(_ => pool.UseAsync(async (session, token) =>
            await session.SendAsync("work", token)).AsTask()));

        var statistics = pool.GetStatistics();
        var unserved = statistics.Timeouts + statistics.Cancellations + statistics.Shed;
        var waits = statistics.Waits + unserved; // Waits are those that were served
        var waited = (double)waits / Math.Max(1, statistics.Rented + unserved);
        var wait = statistics.WaitTime / Math.Max(1, waits);
        Console.WriteLine(waited > 0.01
            ? $"Too small, or items are kept too long: {waited:P0} of the callers waited, {wait.TotalMilliseconds:0} ms on " +
                "average."
            : $"Large enough: at most {statistics.PeakLive} of {statistics.MaxSize} were needed.");
    }

    public static async Task FindTheLeakAsync()
    {
        await using var pool = new ResourcePool<Session>(
            new SessionPolicy(),
            new ResourcePoolOptions
            {
                MaxSize = 8,
                TrackLeases = true, // remembers where each item was rented; turn it off after the search
                LeakThreshold = TimeSpan.FromMinutes(1),
                Observer = new LeakReport(),
            });

        await using var lease = await pool.RentAsync();
    }

    public static async Task PerTenantAsync()
    {
        await using var pools = new KeyedResourcePool<string, Session>(
            tenant => new SessionPolicy(),
            new KeyedResourcePoolOptions<string>
            {
                MaxSize = 100,                                   // of all tenants together
                Pool = new ResourcePoolOptions { MaxSize = 10 }, // of one tenant
                KeyIdleTimeout = TimeSpan.FromMinutes(10),       // the pool of an unused tenant is removed
            });

        await using var lease = await pools.RentAsync("contoso");
        Console.WriteLine(await lease.Value.SendAsync($"a session of one of {pools.KeyCount} tenant"));
    }

    private static Task RestartTheServerAsync() => Task.CompletedTask;
}
