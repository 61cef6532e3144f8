using System.Net;

namespace Poolhouse.Samples.TcpPool;

/// <summary>Many callers on a few clients.</summary>
internal static class SharedLessons
{
    public static async Task ShareAsync(EchoServer server)
    {
        // snippet: shared-pool
        await using var pool = new SharedResourcePool<PipelinedClient>(
            new PipelinedPolicy(server.EndPoint),
            new SharedResourcePoolOptions
            {
                Pool = new ResourcePoolOptions { MaxSize = 3, Name = "pipelines" },
                MaxUsesPerItem = 10,
                MaxActive = 2,
            });

        var answers = await Task.WhenAll(Enumerable.Range(0, 20).Select(async number =>
        {
            using var lease = await pool.RentAsync();
            return await lease.Value.AskAsync($"{number}");
        }));
        // end snippet

        var mixedUp = answers.Where((answer, number) => !string.Equals(answer, $"{number}", StringComparison.Ordinal)).Count();
        Console.WriteLine(
            $"{answers.Length} answers, {mixedUp} mixed up, at most 2 connections: {pool.GetItemStatistics().PeakLive <= 2}.");

        // snippet: shared-discard
        var mine = await pool.RentAsync();
        var others = await pool.RentAsync();
        mine.Discard();       // this client is broken: it gets no new users …
        Console.WriteLine(await others.Value.AskAsync("… and its current users continue"));
        await others.DisposeAsync();
        // end snippet
    }
}
