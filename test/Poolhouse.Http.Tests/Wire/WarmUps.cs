using System.Net;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Poolhouse.Http.Tests.Support;
using Poolhouse.Testing;
using Poolhouse.TestSupport;

namespace Poolhouse.Http.Tests.Wire;

/// <summary>Connections that are really open before the traffic comes: the server counts them.</summary>
public sealed class WarmUps
{
    [Theory]
    [InlineData(1)]
    [InlineData(8)]
    [InlineData(40)]
    public async Task The_requested_number_of_connections_is_opened(int connections)
    {
        await using var server = await HttpServer.StartAsync();
        using var client = new HttpClient();
        await Patience.WithinAsync(client.WarmUpAsync(server.Address, connections));
        Assert.Equal((connections, connections), (server.Accepted, server.Open));

        var traffic = Enumerable.Range(0, connections).Select(_ => client.GetStringAsync(server.At("/yield")));
        await Patience.WithinAsync(Task.WhenAll(traffic));
        Assert.Equal(connections, server.Accepted);
    }

    [Fact]
    public async Task A_warm_up_works_with_any_method()
    {
        await using var server = await HttpServer.StartAsync();
        using var client = new HttpClient();
        await Patience.WithinAsync(client.WarmUpAsync(server.Address, 5, new HttpWarmUpOptions { Method = HttpMethod.Get }));

        Assert.Equal((5, 5), (server.Accepted, server.Open));
    }

    [Fact]
    public async Task A_warm_up_passes_the_bulkhead_and_releases_its_permits()
    {
        await using var server = await HttpServer.StartAsync();
        using var handler = new BulkheadHandler(new BulkheadOptions { MaxPerEndpoint = 6 }, new SocketsHttpHandler());
        using var client = new HttpClient(handler);
        await Patience.WithinAsync(client.WarmUpAsync(server.Address, 6));

        Assert.Equal((6, 0), (server.Open, handler.Bulkhead.GetStatistics().Leased));
    }

    [Fact]
    public async Task A_warm_up_above_the_limits_of_the_handlers_reports_the_actual_number()
    {
        await using var server = await HttpServer.StartAsync();
        using var arrivals = new ArrivalHandler(new SocketsHttpHandler { MaxConnectionsPerServer = 2 });
        using var client = new HttpClient(arrivals);
        var clock = new Poolhouse.Testing.ManualTimeProvider();
        var options = new HttpWarmUpOptions { Timeout = TimeSpan.FromSeconds(9), TimeProvider = clock };
        var warming = client.WarmUpAsync(server.Address, 3, options);
        await Patience.UntilAsync(() => arrivals.Count == 2, "two requests have connections");
        clock.Advance(TimeSpan.FromSeconds(9));

        var failure = await Assert.ThrowsAsync<TimeoutException>(() => Patience.WithinAsync(warming));
        Assert.Equal(
            $"Warm-up of http://127.0.0.1:{server.Address.Port}: 2 of 3 connections were open within 9 s. " +
            "Request no more than the handlers allow (MaxConnectionsPerServer, MaxPerEndpoint); otherwise find out why " +
            "connecting is slow, or raise Timeout.",
            failure.Message);
        Assert.Equal("hello", await Patience.WithinAsync(client.GetStringAsync(server.Address)));
    }

    [Fact]
    public async Task A_refused_connection_is_reported_unchanged()
    {
        using var closed = RefusingPort.Bind(out var port);
        using var client = new HttpClient();

        var failure = await Assert.ThrowsAsync<HttpRequestException>(
            () => Patience.WithinAsync(client.WarmUpAsync(new Uri($"http://127.0.0.1:{port}/"), 3)));
        Assert.Equal(HttpRequestError.ConnectionError, failure.HttpRequestError);
    }

    // As SocketsHttpHandler reports its ConnectTimeout.
    [Fact]
    public async Task A_request_that_a_handler_cancelled_fails_the_warm_up()
    {
        using var handler = new CancellingHandler(connections: 2);
        using var client = new HttpMessageInvoker(handler);

        var failure = await Assert.ThrowsAsync<HttpRequestException>(
            () => Patience.WithinAsync(
                client.WarmUpAsync(
                    new Uri("http://server/path"), 3, new HttpWarmUpOptions { Timeout = Timeout.InfiniteTimeSpan })));
        Assert.StartsWith("Warm-up of http://server:80: ", failure.Message, StringComparison.Ordinal);
        Assert.IsType<TimeoutException>(Assert.IsType<TaskCanceledException>(failure.InnerException).InnerException);
    }

    [Fact]
    public async Task A_relative_address_is_combined_with_that_of_the_client()
    {
        using var handler = new ScriptedHandler { Answer = static _ => new HttpResponseMessage() };
        using var client = new HttpClient(handler) { BaseAddress = new Uri("http://server/api/") };
        await Patience.WithinAsync(client.WarmUpAsync(new Uri("health", UriKind.Relative), 1));

        Assert.Equal("http://server/api/health", Assert.Single(handler.Sent).Request.RequestUri!.AbsoluteUri);
    }

    [Fact]
    public async Task A_warm_up_of_a_relative_address_that_is_late_reports_the_host_of_the_client()
    {
        var clock = new Poolhouse.Testing.ManualTimeProvider();
        using var handler = new ScriptedHandler();
        using var client = new HttpClient(handler) { BaseAddress = new Uri("http://server/api/") };
        var options = new HttpWarmUpOptions { Timeout = TimeSpan.FromSeconds(9), TimeProvider = clock };
        var warming = client.WarmUpAsync(new Uri("health", UriKind.Relative), 1, options);
        await handler.ComesAsync();
        clock.Advance(TimeSpan.FromSeconds(9));

        var failure = await Assert.ThrowsAsync<TimeoutException>(() => Patience.WithinAsync(warming));
        Assert.StartsWith("Warm-up of http://server:80: 0 of 1", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_callback_of_a_handler_that_throws_at_the_time_limit_does_not_end_the_process()
    {
        var clock = new Poolhouse.Testing.ManualTimeProvider();
        using var handler = new ScriptedHandler();
        using var client = new HttpMessageInvoker(handler);
        var options = new HttpWarmUpOptions { Timeout = TimeSpan.FromSeconds(9), TimeProvider = clock };
        var warming = client.WarmUpAsync(new Uri("http://server/"), 1, options);
        await using var registration = (await handler.ComesAsync()).Cancelled.Register(
            static () => throw new InvalidOperationException("a handler's callback"));

        clock.Advance(TimeSpan.FromSeconds(9));

        await Assert.ThrowsAsync<TimeoutException>(() => Patience.WithinAsync(warming));
    }

    [Fact]
    public async Task An_address_without_a_host_is_rejected()
    {
        using var invoker = new HttpMessageInvoker(new ScriptedHandler());
        using var client = new HttpClient(new ScriptedHandler());
        using var sharded = new ShardedHandler(new ShardedHandlerOptions { Shards = 1 });
        var relative = new Uri("/health", UriKind.Relative);

        Assert.Equal(
            "address", (await Assert.ThrowsAsync<ArgumentException>(() => invoker.WarmUpAsync(relative, 1))).ParamName);
        Assert.Equal(
            "address", (await Assert.ThrowsAsync<ArgumentException>(() => client.WarmUpAsync(relative, 1))).ParamName);
        Assert.Equal(
            "address", (await Assert.ThrowsAsync<ArgumentException>(() => sharded.WarmUpAsync(relative, 1))).ParamName);
    }

    [Fact]
    public async Task A_warm_up_can_be_cancelled()
    {
        await using var server = await HttpServer.StartAsync();
        using var client = new HttpClient(new SocketsHttpHandler { MaxConnectionsPerServer = 1 });
        using var patience = new CancellationTokenSource();
        var warming = client.WarmUpAsync(server.Address, 2, cancellationToken: patience.Token);
        await Patience.UntilAsync(() => server.Open == 1, "the connection");
        await patience.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Patience.WithinAsync(warming));
    }

    [Theory]
    [InlineData(HttpProtocols.Http1, 6)]
    [InlineData(HttpProtocols.Http2, 3)]
    public async Task Every_shard_is_warmed_up(HttpProtocols protocols, int connections)
    {
        await using var server = await HttpServer.StartAsync(protocols);
        using var handler = new ShardedHandler(new ShardedHandlerOptions { Shards = 3 });
        await Patience.WithinAsync(handler.WarmUpAsync(server.Address, 2, Options(protocols)));

        Assert.Equal((connections, connections), (server.Accepted, server.Open));
        Assert.All(handler.GetStatistics().Shards, shard => Assert.Equal((0, 0L), (shard.Outstanding, shard.Requests)));
    }

    [Fact]
    public async Task A_replacement_shard_is_warmed_up_before_it_is_used()
    {
        await using var server = await HttpServer.StartAsync();
        var clock = new Poolhouse.Testing.ManualTimeProvider();
        using var handler = new ShardedHandler(
            new ShardedHandlerOptions
            {
                Shards = 2,
                MaxLifetime = TimeSpan.FromMinutes(10),
                LifetimeJitter = 0,
                TimeProvider = clock,
            });
        using var client = Clients.Of(handler, HttpProtocols.Http1);
        await Patience.WithinAsync(handler.WarmUpAsync(server.Address, 3));
        clock.Advance(TimeSpan.FromMinutes(10.1));
        await Patience.UntilAsync(
            () => handler.GetStatistics() is { RetiredForLifetime: 2, Retiring: 0 }, "both shards to be replaced");
        await Patience.UntilAsync(() => server.Open == 6, "the old connections to be closed");
        Assert.Equal("hello", await client.GetStringAsync(server.Address));

        Assert.Equal(12, server.Accepted);
    }

    [Fact]
    public async Task A_replacement_shard_is_used_although_its_warm_up_failed()
    {
        var server = await HttpServer.StartAsync();
        var clock = new Poolhouse.Testing.ManualTimeProvider();
        using var handler = new ShardedHandler(
            new ShardedHandlerOptions { Shards = 1, MaxLifetime = TimeSpan.FromMinutes(10), TimeProvider = clock });
        await Patience.WithinAsync(handler.WarmUpAsync(server.Address, 1));
        await server.DisposeAsync();
        clock.Advance(TimeSpan.FromMinutes(10.1));

        await Patience.UntilAsync(() => handler.GetStatistics().RetiredForLifetime == 1, "the shard to be replaced");
    }

    private static HttpWarmUpOptions Options(HttpProtocols protocols) =>
        new() { Version = Clients.VersionOf(protocols), VersionPolicy = HttpVersionPolicy.RequestVersionExact };

    /// <summary>Gives the first requests a connection, and cancels the next one.</summary>
    private sealed class CancellingHandler(int connections) : HttpMessageHandler
    {
        private readonly TaskCompletionSource _connected = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private int _requests;

        protected override async Task<HttpResponseMessage> SendAsync(
            HttpRequestMessage request, CancellationToken cancellationToken)
        {
            var number = Interlocked.Increment(ref _requests);
            if (number > connections)
            {
                await _connected.Task.WaitAsync(cancellationToken);
                throw new TaskCanceledException("The connection took too long.", new TimeoutException());
            }

            var sending = request.Content!.CopyToAsync(Stream.Null, cancellationToken);
            if (number == connections)
            {
                _connected.SetResult();
            }

            await sending;
            return new HttpResponseMessage();
        }
    }
}
