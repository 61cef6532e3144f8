#pragma warning disable PH1001 // the rents that are rejected give no lease
namespace Poolhouse.Samples.Cookbook;

internal static class Waiting
{
    public static async Task TimeOutAsync()
    {
        await using var pool = new ResourcePool<Session>(
            new SessionPolicy(), new ResourcePoolOptions { MaxSize = 1, Name = "crm", RentTimeout = TimeSpan.FromSeconds(5) });

        await using var lease = await pool.RentAsync(); // waits up to RentTimeout
        try
        {
            await using var hurried = await pool.RentAsync(TimeSpan.FromMilliseconds(20)); // waits up to 20 ms
        }
        catch (PoolTimeoutException exception)
        {
            Console.WriteLine($"{exception.PoolName}: waited for {exception.Phase}, {exception.Statistics.Leased} leased.");
        }
    }

    public static async Task LimitTheQueueAsync()
    {
        await using var pool = new ResourcePool<Session>(
            new SessionPolicy(), new ResourcePoolOptions { MaxSize = 1, MaxWaiters = 1 });

        await using var lease = await pool.RentAsync();
        using var given = new CancellationTokenSource();
        var waiting = pool.RentAsync(given.Token);
        try
        {
            await pool.RentAsync();
        }
        catch (PoolOverloadedException exception)
        {
            Console.WriteLine($"Rejected after {exception.Elapsed.TotalSeconds:0} s: one caller waits already.");
        }

        await given.CancelAsync();
        try
        {
            await waiting;
        }
        catch (OperationCanceledException)
        {
            Console.WriteLine("The waiting caller gave up.");
        }
    }
}
