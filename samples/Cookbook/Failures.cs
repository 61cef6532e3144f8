#pragma warning disable PH1001 // the rents that fail give no lease
namespace Poolhouse.Samples.Cookbook;

internal static class Failures
{
    public static async Task RetryAsync()
    {
        await using var pool = new ResourcePool<Session>(new SessionPolicy(), new ResourcePoolOptions { MaxSize = 2 });
        await using (var lease = await pool.RentAsync())
        {
            await using var other = await pool.RentAsync();
            lease.Value.Close();
        }

        Console.WriteLine(await AskAsync(pool, "again", CancellationToken.None));
    }

    // snippet: recipe-retry
    public static async Task<string> AskAsync(ResourcePool<Session> pool, string question, CancellationToken token)
    {
        for (var attempt = 1; ; attempt++)
        {
            await using var lease = await pool.RentAsync(token);
            try
            {
                return await lease.Value.SendAsync(question, token);
            }
            catch (Exception failure)
            {
                lease.Taint(); // destroyed when the lease ends, even if IsBroken returns false
                if (failure is not IOException || attempt > 2)
                {
                    throw;
                }
            }
        }
    }
    // end snippet

    public static async Task FailFastAsync()
    {
        Session.ServerIsUp = false;
        await using var pool = new ResourcePool<Session>(
            new SessionPolicy(), new ResourcePoolOptions { MaxSize = 4, OutageTimeout = TimeSpan.Zero });
        try
        {
            await pool.RentAsync();
        }
        catch (PoolUnavailableException outage)
        {
            Console.WriteLine($"At once, not after OutageTimeout: {outage.InnerException!.Message}");
        }

        Session.ServerIsUp = true;
    }

    public static async Task TaintAsync()
    {
        await using var pool = new ResourcePool<Session>(new SessionPolicy(), new ResourcePoolOptions { MaxSize = 1 });
        await using (var lease = await pool.RentAsync())
        {
            lease.Taint(); // its state is unknown: destroy it instead of reusing it
        }

        Console.WriteLine($"Destroyed as tainted: {pool.GetStatistics().DestroyedFor(DestroyReason.Tainted)}.");
    }
}
