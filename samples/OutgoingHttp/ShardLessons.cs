using System.Net;
using Poolhouse.Http;

namespace Poolhouse.Samples.OutgoingHttp;

internal static class ShardLessons
{
    public static async Task SpreadAsync(Server server)
    {
        var before = server.Connections;

        // snippet: http-shards
        using var shards = new ShardedHandler(new ShardedHandlerOptions
        {
            Shards = 4,
            CreateHandler = () => new SocketsHttpHandler { MaxConnectionsPerServer = 2 },
            MaxLifetime = TimeSpan.FromMinutes(10),
        });
        using var client = new HttpClient(shards);
        await shards.WarmUpAsync(server.Quote, connectionsPerShard: 2);
        // end snippet
        await Task.WhenAll(Enumerable.Range(0, 40).Select(_ => client.GetStringAsync(server.Quote)));
        var taken = shards.GetStatistics().Shards;
        Console.WriteLine(
            $"{server.Connections - before} connections, {taken.Sum(shard => shard.Requests)} requests over {taken.Count} " +
            "shards.");
    }

    public static async Task FollowAsync(Server server)
    {
        // snippet: http-dns
        using var shards = new ShardedHandler(new ShardedHandlerOptions
        {
            Shards = 2,
            WatchedHosts = [server.Quote.Host],
            ResolveInterval = TimeSpan.FromSeconds(30),
            Resolve = async (host, token) => await Dns.GetHostAddressesAsync(host, token),
        });
        // end snippet
        using var client = new HttpClient(shards);
        using (var response = await client.GetAsync(server.Quote, HttpCompletionOption.ResponseHeadersRead))
        {
            shards.Clear();
            Console.WriteLine(
                $"Replaced: {shards.GetStatistics().Cleared}. The response goes on: " +
                $"{(await response.Content.ReadAsStringAsync()).Length} characters.");
        }
    }

    public static async Task WarmUpAsync(Server server)
    {
        var before = server.Connections;

        // snippet: http-warm-up
        using var client = new HttpClient();
        await client.WarmUpAsync(server.Quote, connections: 8);
        // end snippet
        Console.WriteLine($"{server.Connections - before} connections before the first request.");
    }
}
