using System.Net.Http.Headers;
using Poolhouse.Http.Internal;
using Poolhouse.Http.Tests.Support;

namespace Poolhouse.Http.Tests.Bulkheads;

/// <summary>The content of a response looks as it did.</summary>
public sealed class ResponseContents
{
    [Fact]
    public void Copied_headers_are_identical()
    {
        using var from = Make();
        using var to = new StreamContent(new MemoryStream());
        var expected = Text(from.Headers);
        ContentHeaders.Copy(from, to);

        Assert.Equal(expected + "Content-Length: 5\n", Text(to.Headers));
        Assert.Equal("text/plain", to.Headers.ContentType!.MediaType);
        Assert.Equal(["de", "en"], to.Headers.ContentLanguage);
        Assert.Equal(5, to.Headers.ContentLength);
    }

    [Fact]
    public async Task An_unannounced_length_is_known_after_buffering()
    {
        using var from = new StreamContent(new ScriptedBody().Finish());
        using var to = new StreamContent(new MemoryStream(new byte[3], writable: false));
        ContentHeaders.Copy(from, to);
        await to.LoadIntoBufferAsync();

        Assert.Equal(3, to.Headers.ContentLength);
    }

    [Fact]
    public async Task Headers_status_and_trailers_reach_the_caller()
    {
        using var bench = new Harness(endpointLimit: 1);
        bench.Inner.Answer = static _ => new HttpResponseMessage(System.Net.HttpStatusCode.Accepted)
        {
            Content = Make(),
            Headers = { { "X-Own", "1" } },
            TrailingHeaders = { { "X-Trailer", "2" } },
        };
        using var response = await bench.SendAsync();

        Assert.Equal(System.Net.HttpStatusCode.Accepted, response.StatusCode);
        Assert.Equal("1", Assert.Single(response.Headers.GetValues("X-Own")));
        Assert.Equal("2", Assert.Single(response.TrailingHeaders.GetValues("X-Trailer")));
        Assert.Equal(["de", "en"], response.Content.Headers.ContentLanguage);
        Assert.Equal("hello", await response.Content.ReadAsStringAsync());
        Assert.Equal(5, response.Content.Headers.ContentLength);
    }

    [Fact]
    public async Task A_body_can_be_read_twice_once_it_is_buffered()
    {
        using var bench = new Harness(endpointLimit: 1);
        bench.Inner.Answer = static _ => new HttpResponseMessage { Content = Make() };
        using var response = await bench.Client.GetAsync(new Uri("http://server/"));

        bench.AssertUnderWay(0);
        Assert.Equal("hello", await response.Content.ReadAsStringAsync());
        Assert.Equal("hello"u8.ToArray(), await response.Content.ReadAsByteArrayAsync());
    }

    [Fact]
    public async Task A_stream_delegates_its_other_members()
    {
        using var bench = new Harness(endpointLimit: 1);
        using var two = new MemoryStream();
        bench.Inner.Answer =
            _ => new HttpResponseMessage(System.Net.HttpStatusCode.SwitchingProtocols) { Content = new RawContent(two) };
        using var response = await bench.SendAsync();
        var stream = await response.Content.ReadAsStreamAsync();
        Assert.True(stream is { CanRead: true, CanWrite: true, CanSeek: true, CanTimeout: false });

        stream.Write("a"u8);
        stream.Write([(byte)'b'], 0, 1);
        await stream.WriteAsync("c"u8.ToArray());
#pragma warning disable CA1835 // The older overload is the subject.
        await stream.WriteAsync([(byte)'d'], 0, 1, CancellationToken.None);
#pragma warning restore CA1835
        stream.Flush();
        await stream.FlushAsync();
        Assert.Equal((4L, 4L), (stream.Length, stream.Position));
        stream.Seek(1, SeekOrigin.Begin);
        stream.SetLength(2);
        stream.Position = 0;
        Assert.Equal("ab"u8.ToArray(), two.ToArray());
        Assert.Throws<InvalidOperationException>(() => stream.ReadTimeout);
        Assert.Throws<InvalidOperationException>(() => stream.WriteTimeout);
        Assert.Throws<InvalidOperationException>(() => stream.ReadTimeout = 1);
        Assert.Throws<InvalidOperationException>(() => stream.WriteTimeout = 1);
        bench.AssertUnderWay(1);
    }

    private static ReadOnlyMemoryContent Make() => new("hello"u8.ToArray())
    {
        Headers = { { "Content-Type", "text/plain" }, { "Content-Language", new[] { "de", "en" } }, { "X-Custom", "a, b" } },
    };

    private static string Text(HttpContentHeaders headers) => string.Concat(
        headers.NonValidated.Select(header => $"{header.Key}: {header.Value}\n"));

    private sealed class RawContent(Stream stream) : HttpContent
    {
        protected override Task SerializeToStreamAsync(Stream target, System.Net.TransportContext? context) =>
            stream.CopyToAsync(target);

        protected override Task<Stream> CreateContentReadStreamAsync() => Task.FromResult(stream);

        protected override bool TryComputeLength(out long length)
        {
            length = 0;
            return false;
        }
    }
}
