using System.Net;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Poolhouse.Http.Tests.Support;
using Poolhouse.Http.Tests.Wire;

namespace Poolhouse.Http.Tests.Regressions;

/// <summary>Pooled streams as the content of requests.</summary>
public sealed class StreamRegressions
{
    // The client still copies the content when it has the response. With an array of ArrayPool, the server received what the
    // next users of the array wrote.
    [Fact]
    public async Task Runtime_107082_a_response_before_the_content_was_sent_leaks_nothing_of_the_next_stream()
    {
        await using var server = await HttpServer.StartAsync(HttpProtocols.Http2);
        using var streams = new StreamPool(new StreamPoolOptions { Name = "contents", MaxRetained = 8 });
        using var client = Clients.Of(new SocketsHttpHandler(), HttpProtocols.Http2);
        var responses = new List<HttpResponseMessage>();
        for (byte request = 1; request <= 32; request++)
        {
            var stream = Filled(streams, request);
            using var message = new HttpRequestMessage(HttpMethod.Post, server.At("/early"))
            {
                Content = new DuplexContent(stream),
                Version = client.DefaultRequestVersion,
                VersionPolicy = client.DefaultVersionPolicy,
            };
            responses.Add(await Patience.WithinAsync(client.SendAsync(message, HttpCompletionOption.ResponseHeadersRead)));
        }

        await Patience.UntilAsync(() => server.Working == 0, "the server to have read what comes");
        responses.ForEach(response => response.Dispose());

        Assert.NotEqual(0, server.Bytes.Received);
        Assert.Equal(0, server.Bytes.Wrong);
        Assert.Equal((0, 0L), (streams.GetStatistics().Leased, streams.GetStatistics().DoubleReturns));
    }

    private static PooledStream Filled(StreamPool streams, byte value)
    {
        var stream = streams.Rent();
        for (var i = 0; i < 512; i++)
        {
            var span = stream.GetSpan(4096)[..4096];
            span.Fill(value);
            stream.Advance(span.Length);
        }

        stream.Position = 0;
        return stream;
    }

    // Any content of a user. For that of StreamContent, the client waits until it has been sent.
    private sealed class DuplexContent(PooledStream stream) : HttpContent
    {
        protected override Task SerializeToStreamAsync(Stream target, TransportContext? context) => stream.CopyToAsync(target);

        protected override bool TryComputeLength(out long length)
        {
            length = stream.Length;
            return true;
        }

        protected override void Dispose(bool disposing)
        {
            if (disposing)
            {
                stream.Dispose();
            }

            base.Dispose(disposing);
        }
    }
}
