using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Poolhouse.Http.Tests.Support;
using Poolhouse.Testing;

namespace Poolhouse.Http.Tests.Wire;

/// <summary>Shards over SocketsHttpHandler against real servers.</summary>
public sealed class ShardsOnTheWire
{
    [Fact]
    public async Task Over_HTTP2_every_shard_has_its_own_connection()
    {
        await using var server = await HttpServer.StartAsync(HttpProtocols.Http2);
        using var handler = new ShardedHandler(new ShardedHandlerOptions { Shards = 4 });
        using var client = Clients.Of(handler, HttpProtocols.Http2);
        var waiting = Enumerable.Range(0, 40).Select(_ => client.GetStringAsync(server.At("/slow-body"))).ToList();
        await Patience.UntilAsync(() => server.Working == 40, "all requests to arrive");

        Assert.Equal(4, server.Open);
        Assert.All(handler.GetStatistics().Shards, shard => Assert.Equal(10, shard.Outstanding));
        server.OpenGate();
        await Patience.WithinAsync(Task.WhenAll(waiting));
        Assert.All(handler.GetStatistics().Shards, shard => Assert.Equal((0, 10L), (shard.Outstanding, shard.Requests)));
    }

    [Fact]
    public async Task Over_HTTP1_the_server_sees_as_many_sockets_as_shards_times_connections()
    {
        await using var server = await HttpServer.StartAsync();
        using var handler = new ShardedHandler(new ShardedHandlerOptions
        {
            Shards = 3,
            CreateHandler = static () => new SocketsHttpHandler { MaxConnectionsPerServer = 2 },
        });
        using var client = Clients.Of(handler, HttpProtocols.Http1);
        var callers = Enumerable.Range(0, 24).Select(async _ =>
        {
            for (var i = 0; i < 20; i++)
            {
                await client.GetStringAsync(server.At("/yield"));
            }
        });
        await Patience.WithinAsync(Task.WhenAll(callers));

        // The other requests may be answered before the server has accepted the last connection.
        await Patience.UntilAsync(() => server.Accepted == 6, "the last connection to be accepted");
        Assert.Equal((6, 6), (server.PeakOpen, server.Accepted));
    }

    [Theory]
    [InlineData(HttpProtocols.Http1)]
    [InlineData(HttpProtocols.Http2)]
    public async Task A_change_of_address_is_followed_without_an_error(HttpProtocols protocols)
    {
        await using var before = await HttpServer.StartAsync(protocols);
        await using var after = await HttpServer.StartAsync(protocols);
        var clock = new ManualTimeProvider();
        var current = before;
        using var handler = new ShardedHandler(new ShardedHandlerOptions
        {
            Shards = 2,
            TimeProvider = clock,
            WatchedHosts = ["service.test"],
            Resolve =
                (_, _) => new ValueTask<IReadOnlyCollection<IPAddress>>([new IPAddress(Volatile.Read(ref current).Address.Port)]),
            CreateHandler = () => new SocketsHttpHandler
            {
                ConnectCallback = async (_, token) => await ConnectAsync(Volatile.Read(ref current), token),
            },
        });
        using var client = Clients.Of(handler, protocols);
        var slow = await client.GetAsync(new Uri("http://service.test/slow-body"), HttpCompletionOption.ResponseHeadersRead);
        using var enough = new CancellationTokenSource();
        var callers = Enumerable.Range(0, 4).Select(_ => Task.Run(async () =>
        {
            while (!enough.IsCancellationRequested)
            {
                Assert.Equal("hello", await client.GetStringAsync(new Uri("http://service.test/yield")));
            }
        })).ToList();
        await Patience.UntilAsync(() => before.Accepted > 1, "traffic to the first server");
        Volatile.Write(ref current, after);
        clock.Advance(TimeSpan.FromSeconds(30));
        await Patience.UntilAsync(
            () => after.Accepted > 0 && handler.GetStatistics() is { RetiredForDns: 2, Retiring: 1 }, "the traffic to move");

        // What began before the move ends where it began, and with it the last connection there.
        before.OpenGate();
        Assert.Equal("firstsecond", await Patience.WithinAsync(slow.Content.ReadAsStringAsync()));
        await enough.CancelAsync();
        await Patience.WithinAsync(Task.WhenAll(callers));

        // A shard is retiring until its disposal has ended, which is after its connections are closed.
        await Patience.UntilAsync(
            () => before.Open == 0 && handler.GetStatistics().Retiring == 0, "the last connection to the first server to close");
    }

    [Fact]
    public async Task Rotation_by_age_under_load_causes_no_error()
    {
        await using var server = await HttpServer.StartAsync();
        var clock = new ManualTimeProvider();
        using var handler = new ShardedHandler(
            new ShardedHandlerOptions { Shards = 3, MaxLifetime = TimeSpan.FromMinutes(1), TimeProvider = clock });
        using var client = Clients.Of(handler, HttpProtocols.Http1);
        var turn = new Lock();
        var callers = Enumerable.Range(0, 4).Select(async _ =>
        {
            for (var i = 0; i < 100; i++)
            {
                // One caller at a time: a replacement that is due takes place before the clock moves on.
                lock (turn)
                {
                    clock.Advance(TimeSpan.FromSeconds(1));
                }

                Assert.Equal("hello", await client.GetStringAsync(server.At("/yield")));
            }
        });
        await Patience.WithinAsync(Task.WhenAll(callers));

        Assert.InRange(handler.GetStatistics().RetiredForLifetime, 18, 21);
        await Patience.UntilAsync(() => handler.GetStatistics().Retiring == 0, "the old shards to be disposed");
    }

    private static async ValueTask<Stream> ConnectAsync(HttpServer server, CancellationToken cancellationToken)
    {
        var socket = new Socket(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        try
        {
            await socket.ConnectAsync(new IPEndPoint(IPAddress.Loopback, server.Address.Port), cancellationToken);
            return new NetworkStream(socket, ownsSocket: true);
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }
}
