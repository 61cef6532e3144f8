using System.Net;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Poolhouse.Http.Tests.Support;
using Poolhouse.TestSupport;

namespace Poolhouse.Http.Tests.Wire;

/// <summary>
/// The bulkhead over SocketsHttpHandler against a real server, with one connection a request and with one for all.
/// </summary>
public sealed class BulkheadOnTheWire
{
    public static TheoryData<HttpProtocols> Protocols => [HttpProtocols.Http1, HttpProtocols.Http2];

    [Theory]
    [MemberData(nameof(Protocols))]
    public async Task The_server_never_sees_more_concurrent_requests_than_the_limit(HttpProtocols protocols)
    {
        await using var server = await HttpServer.StartAsync(protocols);
        using var handler = Make(limit: 3);
        using var client = Clients.Of(handler, protocols);
        var callers = Enumerable.Range(0, 12).Select(async _ =>
        {
            for (var i = 0; i < 50; i++)
            {
                Assert.Equal("hello", await client.GetStringAsync(server.At("/yield")));
            }
        });
        await Patience.WithinAsync(Task.WhenAll(callers));

        Assert.InRange(server.PeakWorking, 1, 3);
        Assert.InRange(server.PeakOpen, 1, protocols == HttpProtocols.Http1 ? 3 : 1);
        AssertAtRest(handler, served: 600);
    }

    [Theory]
    [MemberData(nameof(Protocols))]
    public async Task A_streamed_body_holds_its_permit_to_the_end(HttpProtocols protocols)
    {
        await using var server = await HttpServer.StartAsync(protocols);
        using var handler = Make(limit: 1);
        using var client = Clients.Of(handler, protocols);
        using var response = await client.GetAsync(server.At("/slow-body"), HttpCompletionOption.ResponseHeadersRead);
        var reading = response.Content.ReadAsStringAsync();
        var next = client.GetStringAsync(server.At("/"));
        Assert.Equal((1, 1), (handler.Bulkhead.GetStatistics().Leased, handler.Bulkhead.GetStatistics().Waiting));

        server.OpenGate();
        Assert.Equal("firstsecond", await Patience.WithinAsync(reading));
        Assert.Equal("hello", await Patience.WithinAsync(next));
        AssertAtRest(handler, served: 2);
    }

    [Theory]
    [MemberData(nameof(Protocols))]
    public async Task A_body_disposed_unread_releases_its_permit(HttpProtocols protocols)
    {
        await using var server = await HttpServer.StartAsync(protocols);
        using var handler = Make(limit: 1);
        using var client = Clients.Of(handler, protocols);
        for (var i = 0; i < 3; i++)
        {
            (await client.GetAsync(server.At("/slow-body"), HttpCompletionOption.ResponseHeadersRead)).Dispose();
        }

        await Patience.UntilAsync(() => server.Working == 0, "the server to hear of it");
        AssertAtRest(handler, served: 3);
    }

    [Theory]
    [MemberData(nameof(Protocols))]
    public async Task A_reset_in_the_middle_of_the_body_releases_the_permit(HttpProtocols protocols)
    {
        await using var server = await HttpServer.StartAsync(protocols);
        using var handler = Make(limit: 1);
        using var client = Clients.Of(handler, protocols);
        var response = await client.GetAsync(server.At("/reset"), HttpCompletionOption.ResponseHeadersRead);
        var reading = response.Content.ReadAsByteArrayAsync();
        server.OpenGate();

        await Assert.ThrowsAsync<HttpRequestException>(() => Patience.WithinAsync(reading));
        AssertAtRest(handler, served: 1);
        Assert.Equal("hello", await Patience.WithinAsync(client.GetStringAsync(server.At("/"))));
    }

    [Theory]
    [MemberData(nameof(Protocols))]
    public async Task A_server_that_never_answers_holds_the_permit_until_the_caller_gives_up(HttpProtocols protocols)
    {
        await using var server = await HttpServer.StartAsync(protocols);
        using var handler = Make(limit: 1);
        using var client = Clients.Of(handler, protocols);
        using var patience = new CancellationTokenSource();
        var silent = client.GetStringAsync(server.At("/silent"), patience.Token);
        var next = client.GetStringAsync(server.At("/"));
        await Patience.UntilAsync(() => server.Working == 1, "the request to arrive");
        Assert.Equal(1, handler.Bulkhead.GetStatistics().Waiting);
        await patience.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Patience.WithinAsync(silent));
        Assert.Equal("hello", await Patience.WithinAsync(next));
        AssertAtRest(handler, served: 2);
    }

    [Theory]
    [MemberData(nameof(Protocols))]
    public async Task A_caller_that_gives_up_in_the_body_releases_its_permit(HttpProtocols protocols)
    {
        await using var server = await HttpServer.StartAsync(protocols);
        using var handler = Make(limit: 1);
        using var client = Clients.Of(handler, protocols);
        using var patience = new CancellationTokenSource();
        var slow = client.GetStringAsync(server.At("/slow-body"), patience.Token);
        await Patience.UntilAsync(() => server.Working == 1, "the request to arrive");
        await patience.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Patience.WithinAsync(slow));
        AssertAtRest(handler, served: 1);
        Assert.Equal("hello", await Patience.WithinAsync(client.GetStringAsync(server.At("/"))));
    }

    [Fact]
    public async Task A_refused_connection_releases_the_permit()
    {
        using var closed = RefusingPort.Bind(out var port);
        using var handler = Make(limit: 1);
        using var client = new HttpClient(handler);
        for (var i = 0; i < 3; i++)
        {
            await Assert.ThrowsAsync<HttpRequestException>(
                () => Patience.WithinAsync(client.GetStringAsync(new Uri($"http://127.0.0.1:{port}/"))));
        }

        AssertAtRest(handler, served: 3);
    }

    [Theory]
    [MemberData(nameof(Protocols))]
    public async Task Responses_without_a_body_release_their_permits(HttpProtocols protocols)
    {
        await using var server = await HttpServer.StartAsync(protocols);
        using var handler = Make(limit: 1);
        using var client = Clients.Of(handler, protocols);
        for (var i = 0; i < 3; i++)
        {
            await client.GetAsync(server.At("/empty"), HttpCompletionOption.ResponseHeadersRead);
            using var head = new HttpRequestMessage(HttpMethod.Head, server.At("/"))
            {
                Version = client.DefaultRequestVersion,
                VersionPolicy = client.DefaultVersionPolicy,
            };
            await client.SendAsync(head, HttpCompletionOption.ResponseHeadersRead);
        }

        AssertAtRest(handler, served: 6);
    }

    [Fact]
    public async Task Synchronous_requests_share_the_limit()
    {
        await using var server = await HttpServer.StartAsync();
        using var handler = Make(limit: 2);
        using var client = Clients.Of(handler, HttpProtocols.Http1);
        var callers = Enumerable.Range(0, 4).Select(_ => Task.Run(() =>
        {
            for (var i = 0; i < 20; i++)
            {
                using var request = new HttpRequestMessage(HttpMethod.Get, server.At("/yield"));
                using var response = client.Send(request);
                using var reader = new StreamReader(response.Content.ReadAsStream());
                Assert.Equal("hello", reader.ReadToEnd());
            }
        }));
        await Patience.WithinAsync(Task.WhenAll(callers));

        Assert.InRange(server.PeakWorking, 1, 2);
        AssertAtRest(handler, served: 80);
    }

    [Theory]
    [MemberData(nameof(Protocols))]
    public async Task Callers_that_give_up_at_any_moment_lose_no_permit(HttpProtocols protocols)
    {
        await using var server = await HttpServer.StartAsync(protocols);
        using var handler = Make(limit: 2);
        using var client = Clients.Of(handler, protocols);
        var cancelled = 0;
        var callers = Enumerable.Range(0, 8).Select(async caller =>
        {
            var random = new Random(caller);
            for (var i = 0; i < 60; i++)
            {
                using var patience = new CancellationTokenSource(TimeSpan.FromMicroseconds(random.Next(1_500)));
                try
                {
                    using var response =
                        await client.GetAsync(server.At("/yield"), HttpCompletionOption.ResponseHeadersRead, patience.Token);
                    await response.Content.CopyToAsync(Stream.Null, patience.Token);
                }
                catch (OperationCanceledException)
                {
                    Interlocked.Increment(ref cancelled);
                }
            }
        });
        await Patience.WithinAsync(Task.WhenAll(callers));

        Assert.InRange(cancelled, 1, 480);
        AssertAtRest(handler, served: null);
        Assert.Equal("hello", await Patience.WithinAsync(client.GetStringAsync(server.At("/"))));
    }

    private static BulkheadHandler Make(int limit) => new(
        new BulkheadOptions { MaxPerEndpoint = limit, MaxWaiters = 10_000 },
        new SocketsHttpHandler { MaxConnectionsPerServer = limit, ResponseDrainTimeout = TimeSpan.Zero });

    private static void AssertAtRest(BulkheadHandler handler, long? served)
    {
        var now = handler.Bulkhead.GetStatistics();
        Assert.Equal((0, 0, 0L), (now.Leased, now.Waiting, now.DoubleReturns));
        Assert.Equal(served ?? now.Rented, now.Rented);
    }
}
