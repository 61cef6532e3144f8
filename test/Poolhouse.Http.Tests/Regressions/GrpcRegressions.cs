using System.Runtime.CompilerServices;
using Grpc.Core;
using Grpc.Net.Client;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Poolhouse.Http.Tests.Support;
using Poolhouse.Testing;

namespace Poolhouse.Http.Tests.Regressions;

/// <summary>gRPC calls behind a bulkhead.</summary>
[Collection(nameof(Alone))]
public sealed class GrpcRegressions
{
    private static readonly Marshaller<byte[]> _bytes = Marshallers.Create(static bytes => bytes, static bytes => bytes);

    private static readonly Method<byte[], byte[]> _stream =
        new(MethodType.ServerStreaming, "grpc", "Stream", _bytes, _bytes);

    // The channel refers to each call that has not ended, so the collector never finds one.
    [Fact]
    public async Task Grpc_dotnet_2086_an_undisposed_server_stream_holds_its_permit_until_its_channel_is_disposed()
    {
        await using var server = await HttpServer.StartAsync(HttpProtocols.Http2);
        using var bulkhead = new Bulkhead(new BulkheadOptions { MaxPerEndpoint = 1 });
        using var channel = Open(server, bulkhead);
        await ForgetAsync(channel);
        Collect();
        Assert.Equal(1, bulkhead.GetStatistics().Leased);

        channel.Dispose();
        Assert.Equal(0, bulkhead.GetStatistics().Leased);
    }

    [Fact]
    public async Task Grpc_dotnet_2086_a_disposed_server_stream_releases_its_permit()
    {
        await using var server = await HttpServer.StartAsync(HttpProtocols.Http2);
        using var bulkhead = new Bulkhead(new BulkheadOptions { MaxPerEndpoint = 1 });
        using var channel = Open(server, bulkhead);
        for (var i = 0; i < 3; i++)
        {
            using var call = Call(channel);
            Assert.True(await Patience.WithinAsync(call.ResponseStream.MoveNext(CancellationToken.None)));
        }

        Assert.Equal((0, 3L), (bulkhead.GetStatistics().Leased, bulkhead.GetStatistics().Rented));
    }

    [Theory]
    [InlineData(0, BulkheadRejection.QueueFull)]
    [InlineData(1, BulkheadRejection.RentTimeout)]
    public async Task A_rejected_call_fails_as_unavailable(int maxWaiters, BulkheadRejection reason)
    {
        await using var server = await HttpServer.StartAsync(HttpProtocols.Http2);
        var clock = new ManualTimeProvider();
        using var bulkhead = new Bulkhead(
            new BulkheadOptions { MaxPerEndpoint = 1, MaxWaiters = maxWaiters, Name = "billing", TimeProvider = clock });
        using var channel = Open(server, bulkhead);
        using var first = Call(channel);
        Assert.True(await Patience.WithinAsync(first.ResponseStream.MoveNext(CancellationToken.None)));
        using var second = Call(channel);
        var reading = second.ResponseStream.MoveNext(CancellationToken.None);
        await Patience.UntilAsync(
            () => bulkhead.GetStatistics() is { Waiting: 1 } or { Shed: 1 }, "the second call to reach the bulkhead");
        clock.Advance(TimeSpan.FromSeconds(30));

        var failure = await Assert.ThrowsAsync<RpcException>(() => Patience.WithinAsync(reading));
        Assert.Equal(StatusCode.Unavailable, failure.StatusCode);
        Assert.Contains("Bulkhead 'billing'", failure.Status.Detail, StringComparison.Ordinal);
        var rejected = Assert.IsType<BulkheadRejectedException>(failure.Status.DebugException);
        Assert.Equal(reason, rejected.Reason);
        Assert.IsAssignableFrom<IPoolException>(Assert.IsType<IOException>(rejected.InnerException).InnerException);
    }

    private static GrpcChannel Open(HttpServer server, Bulkhead bulkhead) => GrpcChannel.ForAddress(
        server.Address,
        new GrpcChannelOptions
        {
            HttpHandler = new BulkheadHandler(bulkhead, new SocketsHttpHandler()),
            DisposeHttpClient = true,
        });

    private static AsyncServerStreamingCall<byte[]> Call(GrpcChannel channel) =>
        channel.CreateCallInvoker().AsyncServerStreamingCall(_stream, host: null, default, [1]);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async Task ForgetAsync(GrpcChannel channel) =>
        Assert.True(await Patience.WithinAsync(Call(channel).ResponseStream.MoveNext(CancellationToken.None)));

    private static void Collect()
    {
        for (var i = 0; i < 3; i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }
    }
}
