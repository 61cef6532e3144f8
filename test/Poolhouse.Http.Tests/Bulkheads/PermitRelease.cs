using Poolhouse.Http.Tests.Support;

namespace Poolhouse.Http.Tests.Bulkheads;

/// <summary>A permit is held until the body of the response has ended, in any way.</summary>
public sealed class PermitRelease
{
    private static readonly Dictionary<string, Func<HttpResponseMessage, Task>> _disposals = WaysToDispose();
    private static readonly Dictionary<string, Func<HttpResponseMessage, Task>> _readings = WaysToRead();

    public static TheoryData<string> Disposals => [.. _disposals.Keys];

    public static TheoryData<string> Readings => [.. _readings.Keys];

    [Theory]
    [MemberData(nameof(Disposals))]
    public async Task Disposing_the_response_releases_the_permit(string what)
    {
        using var bench = new Harness(endpointLimit: 1);
        var body = new ScriptedBody();
        var response = await BeginAsync(bench, body);
        bench.AssertUnderWay(1);

        await _disposals[what](response);
        bench.AssertUnderWay(0);
        Assert.True(body.IsDisposed);
        await AssertNextIsServedAsync(bench);
    }

    [Theory]
    [MemberData(nameof(Readings))]
    public async Task Reading_to_the_end_releases_the_permit_and_not_before(string what)
    {
        using var bench = new Harness(endpointLimit: 1);
        var body = new ScriptedBody();
        var response = await BeginAsync(bench, body);
        var reading = Task.Run(() => _readings[what](response));
        await Patience.WithinAsync(body.HasBegun);
        bench.AssertUnderWay(1);

        body.Finish();
        await Patience.WithinAsync(reading);
        bench.AssertUnderWay(0);
        response.Dispose();
        await AssertNextIsServedAsync(bench);
    }

    [Theory]
    [MemberData(nameof(Readings))]
    public async Task A_failed_body_releases_the_permit(string what)
    {
        using var bench = new Harness(endpointLimit: 1);
        var body = new ScriptedBody();
        var response = await BeginAsync(bench, body);

        body.Break();
        await Assert.ThrowsAnyAsync<Exception>(() => Patience.WithinAsync(Task.Run(() => _readings[what](response))));
        bench.AssertUnderWay(0);
        response.Dispose();
        await AssertNextIsServedAsync(bench);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_body_whose_stream_was_refused_and_that_fails_releases_the_permit(bool synchronously)
    {
        using var bench = new Harness(endpointLimit: 1);
        var sending = bench.SendAsync();
        (await bench.Inner.ComesAsync()).Respond(new HttpResponseMessage { Content = new RefusedContent() });
        var response = await Patience.WithinAsync(sending);
        if (synchronously)
        {
            Assert.Throws<InvalidOperationException>(() => response.Content.ReadAsStream());
        }
        else
        {
            await Assert.ThrowsAsync<InvalidOperationException>(() => response.Content.ReadAsStreamAsync());
        }

        bench.AssertUnderWay(1);
        await Assert.ThrowsAnyAsync<Exception>(() => response.Content.CopyToAsync(Stream.Null));
        bench.AssertUnderWay(0);
    }

    [Fact]
    public async Task A_copy_whose_destination_fails_ends_the_body_before_the_permit()
    {
        using var bench = new Harness(endpointLimit: 1);
        var body = new ScriptedBody();
        using var response = await BeginAsync(bench, body);
        using var full = new MemoryStream([], writable: true);

        await Assert.ThrowsAsync<NotSupportedException>(() => Patience.WithinAsync(response.Content.CopyToAsync(full)));

        bench.AssertUnderWay(0);
        Assert.True(body.IsDisposed);
    }

    [Fact]
    public async Task A_failed_copy_reports_its_own_exception_although_the_content_cannot_be_disposed()
    {
        using var bench = new Harness(endpointLimit: 1);
        var response = await RespondAsync(bench, new IndisposableContent());

        await Assert.ThrowsAsync<InvalidDataException>(() => response.Content.CopyToAsync(Stream.Null));

        bench.AssertUnderWay(0);
    }

    [Fact]
    public async Task A_response_whose_length_cannot_be_computed_is_disposed()
    {
        using var bench = new Harness(endpointLimit: 1);
        var body = new ScriptedBody();
        var sending = bench.SendAsync();
        (await bench.Inner.ComesAsync()).Respond(new HttpResponseMessage { Content = new UnmeasurableContent(body) });

        await Assert.ThrowsAsync<IOException>(() => Patience.WithinAsync(sending));

        bench.AssertUnderWay(0);
        Assert.True(body.IsDisposed);
    }

    [Fact]
    public async Task A_body_that_fails_before_it_returns_a_task_releases_the_permit()
    {
        using var bench = new Harness(endpointLimit: 2);
        using var read = await RespondAsync(bench, new StreamContent(new CorruptBody()) { Headers = { ContentLength = 5 } });
        using var copied = await RespondAsync(bench, new CorruptContent());
        await using var stream = await read.Content.ReadAsStreamAsync(TestContext.Current.CancellationToken);
        bench.AssertUnderWay(2);

        await Assert.ThrowsAsync<InvalidDataException>(
            async () => await stream.ReadExactlyAsync(new byte[1], TestContext.Current.CancellationToken));
        bench.AssertUnderWay(1);
        await Assert.ThrowsAsync<InvalidDataException>(() => copied.Content.CopyToAsync(Stream.Null));
        bench.AssertUnderWay(0);
    }

    [Fact]
    public async Task A_cancelled_read_holds_the_permit_until_the_response_is_disposed()
    {
        using var bench = new Harness(endpointLimit: 1);
        var body = new ScriptedBody();
        var response = await BeginAsync(bench, body);
        using var patience = new CancellationTokenSource();
        var stream = await response.Content.ReadAsStreamAsync();
        var reading = ReadAsync(stream, patience.Token);
        await Patience.WithinAsync(body.HasBegun);
        await patience.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Patience.WithinAsync(reading));
        bench.AssertUnderWay(1);
        response.Dispose();
        bench.AssertUnderWay(0);
    }

    [Fact]
    public async Task A_cancelled_buffering_releases_the_permit()
    {
        using var bench = new Harness(endpointLimit: 1);
        using var patience = new CancellationTokenSource();
        var sending = bench.Client.GetStringAsync(new Uri("http://server/"), patience.Token);
        (await bench.Inner.ComesAsync()).Respond(ScriptedBody.Respond(out var body));
        await Patience.WithinAsync(body.HasBegun);
        bench.AssertUnderWay(1);
        await patience.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Patience.WithinAsync(sending));
        bench.AssertUnderWay(0);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_failed_destination_of_the_stream_does_not_release_the_permit(bool blocks)
    {
        using var bench = new Harness(endpointLimit: 1);
        var body = new ScriptedBody();
        using var response = await BeginAsync(bench, body);
        var stream = await response.Content.ReadAsStreamAsync();
        using var full = new MemoryStream([], writable: true);

        await Assert.ThrowsAsync<NotSupportedException>(
            () => blocks ? Do(() => stream.CopyTo(full)) : Patience.WithinAsync(stream.CopyToAsync(full)));
        bench.AssertUnderWay(1);
        body.Finish();
        await Patience.WithinAsync(ReadAsync(stream));
        bench.AssertUnderWay(0);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Content_that_is_used_again_while_its_stream_is_read_does_not_release_the_permit(bool blocks)
    {
        using var bench = new Harness(endpointLimit: 1);
        var sending = bench.SendAsync();
        (await bench.Inner.ComesAsync()).Respond(new HttpResponseMessage { Content = new UnrepeatableContent() });
        var response = await Patience.WithinAsync(sending);
        await response.Content.ReadAsStreamAsync();

        await Assert.ThrowsAsync<InvalidOperationException>(
            () => blocks
                ? Do(() => response.Content.CopyTo(Stream.Null, context: null, CancellationToken.None))
                : Patience.WithinAsync(response.Content.ReadAsStringAsync()));
        bench.AssertUnderWay(1);
        response.Dispose();
        bench.AssertUnderWay(0);
    }

    // A method builder that pools its boxes takes the box of a misused operation back while others still use it.
    [Fact]
    public async Task A_read_whose_result_is_taken_twice_does_not_affect_the_reads_of_other_responses()
    {
        using var bench = new Harness(endpointLimit: 3);
        var bodies = Enumerable.Range(0, 3).Select(_ => new ScriptedBody()).ToList();
        var streams = new List<Stream>();
        for (var number = 0; number < bodies.Count; number++)
        {
            var sending = bench.SendAsync();
            (await bench.Inner.ComesAsync(number)).Respond(
                new HttpResponseMessage { Content = new StreamContent(bodies[number]) });
            streams.Add(await (await Patience.WithinAsync(sending)).Content.ReadAsStreamAsync());
            Assert.Equal(1, await streams[number].ReadAsync(new byte[1]));
        }

        var (count, first, second) = BeginReads();
        Assert.Equal(1, count);
        bodies[1].Finish();
        Assert.Equal(1, await Patience.WithinAsync(first));
        Assert.False(second.IsCompleted);
        bodies[2].Finish();
        Assert.Equal(1, await Patience.WithinAsync(second));
        streams.ForEach(static stream => stream.Dispose());
        bench.AssertUnderWay(0);

        // On one thread, whose boxes a pooling builder would keep.
        (int Count, Task<int> First, Task<int> Second) BeginReads()
        {
            var misused = streams[0].ReadAsync(new byte[1]);
            Assert.False(misused.IsCompleted);
            bodies[0].Finish();
            Assert.True(SpinWait.SpinUntil(() => misused.IsCompleted, Patience.Limit));
#pragma warning disable CA2012, VSTHRD002 // The misuse is the subject.
            var read = misused.GetAwaiter().GetResult();
            _ = Record.Exception(() => misused.GetAwaiter().GetResult());
            return (read, streams[1].ReadAsync(new byte[1]).AsTask(), streams[2].ReadAsync(new byte[1]).AsTask());
#pragma warning restore CA2012, VSTHRD002
        }
    }

    [Fact]
    public async Task An_empty_read_does_not_release_the_permit()
    {
        using var bench = new Harness(endpointLimit: 1);
        var response = await BeginAsync(bench, new ScriptedBody());
        var stream = await response.Content.ReadAsStreamAsync();

        Assert.Equal(0, await stream.ReadAsync(Memory<byte>.Empty));
        bench.AssertUnderWay(1);
        response.Dispose();
    }

    [Fact]
    public async Task A_permit_is_released_once_however_often_the_body_ends()
    {
        using var bench = new Harness(endpointLimit: 1);
        var body = new ScriptedBody();
        var response = await BeginAsync(bench, body);
        var stream = await response.Content.ReadAsStreamAsync();
        body.Finish();
        await ReadAsync(stream);
        using var next = await bench.OccupyAsync();

        await stream.DisposeAsync();
        response.Content.Dispose();
        response.Dispose();
        bench.AssertUnderWay(1);
        Assert.Equal(0, bench.Now.DoubleReturns);
    }

    [Theory]
    [InlineData("HEAD", 200, "5")]
    [InlineData("GET", 204, null)]
    [InlineData("GET", 304, "5")]
    [InlineData("GET", 200, "0")]
    public async Task A_response_without_a_body_holds_no_permit(string method, int status, string? length)
    {
        using var bench = new Harness(endpointLimit: 1);
        bench.Inner.Answer = _ =>
        {
            var answer =
                new HttpResponseMessage((System.Net.HttpStatusCode)status) { Content = new StreamContent(new ScriptedBody()) };
            answer.Content.Headers.TryAddWithoutValidation("Content-Length", length);
            return answer;
        };
        using var request = new HttpRequestMessage(new HttpMethod(method), new Uri("http://server/"));

        var response = await bench.Client.SendAsync(request, HttpCompletionOption.ResponseHeadersRead);
        bench.AssertUnderWay(0);
        response.Dispose();
        Assert.Equal(0, bench.Now.DoubleReturns);
    }

    [Theory]
    [InlineData("GET", 101)]
    [InlineData("CONNECT", 200)]
    public async Task A_connection_that_is_left_to_the_caller_holds_the_permit_whatever_its_length(string method, int status)
    {
        using var bench = new Harness(endpointLimit: 1);
        bench.Inner.Answer = _ => new HttpResponseMessage((System.Net.HttpStatusCode)status)
        {
            Content = new StreamContent(new ScriptedBody()) { Headers = { ContentLength = 0 } },
        };
        using var request = new HttpRequestMessage(new HttpMethod(method), new Uri("http://server/"));

        var response = await bench.Client.SendAsync(request, HttpCompletionOption.ResponseHeadersRead);
        bench.AssertUnderWay(1);
        response.Dispose();
        bench.AssertUnderWay(0);
    }

    [Theory]
    [InlineData("HEAD", 5, 0)]
    [InlineData("CONNECT", 0, 1)]
    [InlineData("GET", 5, 1)]
    [InlineData("GET", 0, 0)]
    public async Task A_response_that_does_not_name_its_request_holds_a_permit_only_for_a_body(
        string method, long length, int permits)
    {
        using var handler = new BulkheadHandler(new BulkheadOptions { MaxPerEndpoint = 2 }, new NamelessHandler(length));
        using var client = new HttpMessageInvoker(handler);
        using var request = new HttpRequestMessage(new HttpMethod(method), new Uri("http://server/"));

        using var response = await client.SendAsync(request, CancellationToken.None);
        Assert.Equal(permits, handler.Bulkhead.GetStatistics().Leased);
        using var next = client.Send(request, CancellationToken.None);
        Assert.Equal(2 * permits, handler.Bulkhead.GetStatistics().Leased);
    }

    [Fact]
    public async Task A_failed_or_cancelled_request_releases_its_permit()
    {
        using var bench = new Harness(endpointLimit: 1);
        var failing = bench.SendAsync();
        (await bench.Inner.ComesAsync()).Fail(new HttpRequestException("refused"));
        await Assert.ThrowsAsync<HttpRequestException>(() => Patience.WithinAsync(failing));
        bench.AssertUnderWay(0);

        using var patience = new CancellationTokenSource();
        var cancelled = bench.SendAsync(cancellationToken: patience.Token);
        await bench.Inner.ComesAsync(1);
        await patience.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Patience.WithinAsync(cancelled));
        bench.AssertUnderWay(0);
    }

    [Fact]
    public async Task An_inner_handler_that_throws_synchronously_releases_the_permit()
    {
        using var bench = new Harness(endpointLimit: 1);
        bench.Inner.Answer = _ => throw new InvalidOperationException("at once");

        await Assert.ThrowsAsync<InvalidOperationException>(() => bench.SendAsync());
        Assert.Throws<InvalidOperationException>(() => Send(bench));
        bench.AssertUnderWay(0);
    }

    [Fact]
    public async Task A_synchronous_request_holds_a_permit()
    {
        using var bench = new Harness(endpointLimit: 1);
        var sending = Task.Run(() => Send(bench));
        (await bench.Inner.ComesAsync()).Respond(ScriptedBody.Respond(out var body));
        using var response = await Patience.WithinAsync(sending);
        bench.AssertUnderWay(1);

        body.Finish();
        Read(response.Content.ReadAsStream());
        bench.AssertUnderWay(0);
    }

    private static Dictionary<string, Func<HttpResponseMessage, Task>> WaysToDispose() => new(StringComparer.Ordinal)
    {
        ["the response"] = response => Do(response.Dispose),
        ["the content"] = response => Do(response.Content.Dispose),
        ["the stream"] = async response => await (await response.Content.ReadAsStreamAsync()).DisposeAsync(),
        ["the stream, blocking"] = response => Do(response.Content.ReadAsStream().Dispose),
    };

    private static Dictionary<string, Func<HttpResponseMessage, Task>> WaysToRead() => new(StringComparer.Ordinal)
    {
        ["as text"] = response => response.Content.ReadAsStringAsync(),
        ["as bytes"] = response => response.Content.ReadAsByteArrayAsync(),
        ["into the buffer"] = response => response.Content.LoadIntoBufferAsync(),
        ["into another stream"] = response => response.Content.CopyToAsync(Stream.Null),
        ["into another stream, blocking"] =
            response => Do(() => response.Content.CopyTo(Stream.Null, context: null, CancellationToken.None)),
        ["the stream"] = async response => await ReadAsync(await response.Content.ReadAsStreamAsync()),
        ["the stream into arrays"] = async response => await ReadArraysAsync(await response.Content.ReadAsStreamAsync()),
        ["the stream, blocking"] = response => Do(() => Read(response.Content.ReadAsStream())),
        ["the stream by bytes"] = response => Do(() => ReadBytes(response.Content.ReadAsStream())),
        ["the stream into another"] =
            async response => await (await response.Content.ReadAsStreamAsync()).CopyToAsync(Stream.Null),
        ["the stream into another, blocking"] = response => Do(() => response.Content.ReadAsStream().CopyTo(Stream.Null)),
    };

    private static HttpResponseMessage Send(Harness bench)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, new Uri("http://server/"));
        return bench.Client.Send(request, HttpCompletionOption.ResponseHeadersRead);
    }

    private static Task<HttpResponseMessage> BeginAsync(Harness bench, ScriptedBody body) =>
        RespondAsync(bench, new StreamContent(body));

    private static async Task<HttpResponseMessage> RespondAsync(Harness bench, HttpContent content)
    {
        var number = bench.Inner.Sent.Count;
        var sending = bench.SendAsync();
        (await bench.Inner.ComesAsync(number)).Respond(new HttpResponseMessage { Content = content });
        return await Patience.WithinAsync(sending);
    }

    private static async Task AssertNextIsServedAsync(Harness bench)
    {
        (await bench.OccupyAsync()).Dispose();
        Assert.Equal((0, 0L), (bench.Now.Leased, bench.Now.DoubleReturns));
    }

    private static Task Do(Action action)
    {
        action();
        return Task.CompletedTask;
    }

    private static async Task ReadAsync(Stream stream, CancellationToken cancellationToken = default)
    {
        var buffer = new byte[16];
        while (await stream.ReadAsync(buffer, cancellationToken) > 0)
        {
        }
    }

    private static async Task ReadArraysAsync(Stream stream)
    {
        var buffer = new byte[16];
#pragma warning disable CA1835 // The older overload is the subject.
        while (await stream.ReadAsync(buffer, 0, buffer.Length, CancellationToken.None) > 0)
#pragma warning restore CA1835
        {
        }
    }

    private static void Read(Stream stream)
    {
        var buffer = new byte[16];
        while (stream.Read(buffer, 0, buffer.Length) > 0)
        {
        }
    }

    private static void ReadBytes(Stream stream)
    {
        while (stream.ReadByte() >= 0)
        {
        }
    }

    /// <summary>Does not set the request of its responses, like many caches and stubs.</summary>
    private sealed class NamelessHandler(long length) : HttpMessageHandler
    {
        protected override HttpResponseMessage Send(HttpRequestMessage request, CancellationToken cancellationToken) =>
            new() { Content = new StreamContent(new ScriptedBody()) { Headers = { ContentLength = length } } };

        protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken) =>
            Task.FromResult(Send(request, cancellationToken));
    }

    /// <summary>The content of a connection: its body exists once.</summary>
    private sealed class UnrepeatableContent : HttpContent
    {
        private readonly ScriptedBody _body = new();
        private bool _isTaken;

        protected override Task SerializeToStreamAsync(Stream stream, System.Net.TransportContext? context) =>
            Take().CopyToAsync(stream);

        protected override void SerializeToStream(
            Stream stream, System.Net.TransportContext? context, CancellationToken cancellationToken) => Take().CopyTo(stream);

        protected override Task<Stream> CreateContentReadStreamAsync() => Task.FromResult<Stream>(Take());

        protected override bool TryComputeLength(out long length)
        {
            length = 0;
            return false;
        }

        private ScriptedBody Take()
        {
            if (_isTaken)
            {
                throw new InvalidOperationException("The stream was already consumed.");
            }

            _isTaken = true;
            return _body;
        }
    }

    /// <summary>A body that something else reads, and that fails.</summary>
    private sealed class RefusedContent : HttpContent
    {
        protected override Task SerializeToStreamAsync(Stream stream, System.Net.TransportContext? context) =>
            Task.FromException(new IOException("The line is broken."));

        protected override Stream CreateContentReadStream(CancellationToken cancellationToken) => throw Consumed();

        protected override Task<Stream> CreateContentReadStreamAsync() => Task.FromException<Stream>(Consumed());

        protected override bool TryComputeLength(out long length)
        {
            length = 0;
            return false;
        }

        private static InvalidOperationException Consumed() => new("The stream was already consumed.");
    }

    private sealed class UnmeasurableContent(Stream body) : StreamContent(body)
    {
        protected override bool TryComputeLength(out long length) => throw new IOException("There is no length.");
    }

    private sealed class CorruptBody : MemoryStream
    {
        public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
            throw new InvalidDataException();
    }

    private sealed class IndisposableContent : CorruptContent
    {
        protected override void Dispose(bool disposing)
        {
            base.Dispose(disposing);
            throw new InvalidOperationException();
        }
    }

    private class CorruptContent : HttpContent
    {
        protected override Task SerializeToStreamAsync(Stream stream, System.Net.TransportContext? context) =>
            throw new InvalidDataException();

        protected override bool TryComputeLength(out long length)
        {
            length = 0;
            return false;
        }
    }
}
