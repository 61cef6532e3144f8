
namespace Poolhouse.Samples.HelloPools;

internal static class ResourcePools
{
    public static async Task ShowAsync()
    {
        Console.WriteLine("== Resource pools");
        await RentAndReturnAsync();
        await WaysToRentAsync();
        await WaysToEndAsync();
        await FailAsync();
        await OperateAsync();
    }

    private static async Task RentAndReturnAsync()
    {
        // snippet: resource-pool
        await using var pool = ResourcePool.Create(
            create: token => Link.OpenAsync(token),
            options: new ResourcePoolOptions { MaxSize = 8, Name = "links" });

        await using (var lease = await pool.RentAsync())
        {
            Console.WriteLine(await lease.Value.SendAsync("Hello, resource pool,"));
        }
        // end snippet
    }

    private static async Task WaysToRentAsync()
    {
        await using var pool =
            new ResourcePool<Link>(new LinkPolicy(), new ResourcePoolOptions { MaxSize = 2, AwaitReset = true });

        // snippet: resource-rent
        await using (var patient = await pool.RentAsync())                          // waits up to RentTimeout
        await using (var hurried = await pool.RentAsync(TimeSpan.FromSeconds(20)))  // waits up to 20 seconds
        {
            Console.WriteLine($"Nothing idle: {!pool.TryRent(out _)}.");            // never waits
        }

        var answer = await pool.UseAsync((link, token) => link.SendAsync("In one call", token));
        // end snippet

        Console.WriteLine(answer);
    }

    private static async Task WaysToEndAsync()
    {
        await using var pool = new ResourcePool<Link>(new LinkPolicy(), new ResourcePoolOptions { MaxSize = 3 });

        // snippet: resource-ends
        var failed = await pool.RentAsync();
        failed.Taint();             // destroyed at its end, unless the policy proves it clean
        await failed.DisposeAsync();

        var broken = await pool.RentAsync();
        broken.Discard();           // destroyed

        var wanted = await pool.RentAsync();
        var mine = wanted.Detach(); // mine to dispose; its capacity in the pool is released
        // end snippet

        await mine.DisposeAsync();
        var statistics = pool.GetStatistics();
        Console.WriteLine(
            $"{statistics.DestroyedFor(DestroyReason.Tainted)} tainted, {statistics.Discarded} discarded, " +
            $"{statistics.Detached} detached.");
    }

    private static async Task FailAsync()
    {
        // snippet: resource-timeout
        await using var pool = new ResourcePool<Link>(new LinkPolicy(), new ResourcePoolOptions { MaxSize = 1 });
        await using var lease = await pool.RentAsync();
        try
        {
            await using var second = await pool.RentAsync(TimeSpan.FromMilliseconds(20));
        }
        catch (PoolTimeoutException timeout)
        {
            Console.WriteLine($"Waited for {timeout.Phase}; {timeout.Statistics.Leased} leased.");
        }
        // end snippet
    }

    private static async Task OperateAsync()
    {
        // snippet: resource-operate
        await using var pool =
            new ResourcePool<Link>(new LinkPolicy(), new ResourcePoolOptions { MaxSize = 4, Observer = new PoolLog() });

        await pool.WarmUpAsync(4);           // before the traffic
        pool.Clear(TimeSpan.FromMinutes(1)); // replace what is alive now, spread over a minute
        pool.Resize(2);                      // two idle items are destroyed now
        pool.Suspend();                      // callers wait …
        pool.Resume();                       // … and are served again
        pool.Reconfigure(new ResourcePoolOptions { MaxSize = 6, Observer = new PoolLog() });
        await pool.DrainAsync();             // rejects new callers; completes when the last item is destroyed
        // end snippet

        Console.WriteLine($"Drained: {pool.GetStatistics().Live} alive.");
    }
}
