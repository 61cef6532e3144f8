using System.Net;

namespace Poolhouse.Samples.TcpPool;

/// <summary>One pool for many servers.</summary>
internal static class KeyedLessons
{
    public static async Task ShareAsync(EchoServer east, EchoServer west)
    {
        // snippet: keyed-pool
        await using var pool = new KeyedResourcePool<IPEndPoint, LineConnection>(
            server => new LinePolicy(server),
            new KeyedResourcePoolOptions<IPEndPoint>
            {
                MaxSize = 2,
                Pool = new ResourcePoolOptions { MaxSize = 2, Name = "lines" },
            });

        await using (var lease = await pool.RentAsync(west.EndPoint))
        {
            Console.WriteLine(await lease.Value.AskAsync("Hello, west.", CancellationToken.None));
        }
        // end snippet

        // One key takes the whole capacity; when the other key needs some, an idle connection is destroyed for it.
        await pool.WarmUpAsync(west.EndPoint, 2);
        await using (var lease = await pool.RentAsync(east.EndPoint))
        {
            Console.WriteLine(await lease.Value.AskAsync("Hello, east.", CancellationToken.None));
        }

        var all = pool.GetStatistics();
        Console.WriteLine(
            $"{pool.KeyCount} servers, {all.Created} connections created, {all.DestroyedFor(DestroyReason.Evicted)} evicted.");
    }
}
