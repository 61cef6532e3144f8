using Poolhouse.Testing;

namespace Poolhouse.Samples.HelloPools;

internal static class ResourceTime
{
    public static async Task ShowAsync()
    {
        Console.WriteLine("== Resource pools and time");
        await TimeOutAsync();
        await FindLeakAsync();
        await ShowLeasesAsync();
    }

    private static async Task TimeOutAsync()
    {
        // snippet: resource-time
        var clock = new ManualTimeProvider();
        await using var pool = ResourcePool.Create(
            token => Link.OpenAsync(token), new ResourcePoolOptions { MaxSize = 1, TimeProvider = clock });
        await using var lease = await pool.RentAsync();

        var waiting = pool.RentAsync().AsTask();
        clock.Advance(TimeSpan.FromSeconds(30)); // RentTimeout passes at once
        // end snippet

        try
        {
            await waiting;
        }
        catch (PoolTimeoutException timeout)
        {
            Console.WriteLine($"Waited {timeout.Elapsed.TotalSeconds} s on the pool's clock.");
        }
    }

    private static async Task FindLeakAsync()
    {
        var clock = new ManualTimeProvider();

        // snippet: resource-leaks
        var options = new ResourcePoolOptions
        {
            MaxSize = 4,
            Name = "orders",
            LeakThreshold = TimeSpan.FromMinutes(1),
            TrackLeases = true,
            Observer = new PoolLog(),
        };
        // end snippet
        options.TimeProvider = clock;

        await using var pool = new ResourcePool<Link>(new LinkPolicy(), options);
        await using var lease = await pool.RentAsync();
        clock.Advance(TimeSpan.FromMinutes(1));
    }

    private static async Task ShowLeasesAsync()
    {
        var options = new ResourcePoolOptions { MaxSize = 4, Name = "orders", LabelLeases = true };
        await using var pool = new ResourcePool<Link>(new LinkPolicy(), options);

        // snippet: resource-holders
        using (LeaseLabel.Use("checkout"))
        {
            await using var lease = await pool.RentAsync();
            foreach (var held in pool.GetLeases(max: 5))
            {
                Console.WriteLine(
                    $"Item {held.ItemNumber}: leased for {held.LeasedFor.TotalSeconds:0} s by '{held.Label}', trace " +
                    $"{held.TraceId}");
            }
        }
        // end snippet
    }
}
