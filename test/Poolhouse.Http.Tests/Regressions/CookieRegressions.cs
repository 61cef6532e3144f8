using Poolhouse.Http.Tests.Support;

namespace Poolhouse.Http.Tests.Regressions;

/// <summary>Handlers that are pooled or replaced lose cookies: aspnetcore#6141, dotnet/docs#45658.</summary>
public sealed class CookieRegressions
{
    [Fact]
    public async Task Aspnetcore_6141_a_cookie_is_sent_by_every_shard()
    {
        await using var server = await HttpServer.StartAsync();
        using var client = new HttpClient(new ShardedHandler(new ShardedHandlerOptions { Shards = 4 }));
        (await client.GetAsync(server.At("/sign-in"))).Dispose();

        for (var i = 0; i < 8; i++)
        {
            Assert.Equal("ann", await client.GetStringAsync(server.At("/user")));
        }
    }

    [Fact]
    public async Task Dotnet_docs_45658_a_replaced_shard_keeps_its_cookies()
    {
        await using var server = await HttpServer.StartAsync();
        using var handler = new ShardedHandler(new ShardedHandlerOptions { Shards = 2 });
        using var client = new HttpClient(handler, disposeHandler: false);
        (await client.GetAsync(server.At("/sign-in"))).Dispose();
        handler.Clear();

        Assert.Equal("ann", await client.GetStringAsync(server.At("/user")));
    }

    [Fact]
    public async Task Two_sharded_handlers_share_no_cookie()
    {
        await using var server = await HttpServer.StartAsync();
        using var first = new HttpClient(new ShardedHandler(new ShardedHandlerOptions { Shards = 2 }));
        using var second = new HttpClient(new ShardedHandler(new ShardedHandlerOptions { Shards = 2 }));
        (await first.GetAsync(server.At("/sign-in"))).Dispose();

        Assert.Equal("nobody", await second.GetStringAsync(server.At("/user")));
    }
}
