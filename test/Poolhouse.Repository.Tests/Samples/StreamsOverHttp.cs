using System.Globalization;
using System.Net;
using System.Net.Http.Headers;
using System.Net.Http.Json;
using System.Security.Cryptography;
using System.Text;
using Microsoft.Extensions.DependencyInjection;
using Poolhouse.Samples.StreamsApi;

namespace Poolhouse.Repository.Tests.Samples;

/// <summary>The app whose responses and uploads are on pooled streams, called over the socket by a real client.</summary>
public sealed class StreamsOverHttp
{
    private const int Clients = 16;
    private const int Rounds = 25;

    private static readonly Uri _files = new("/files", UriKind.Relative);
    private static readonly Uri _pool = new("/pool", UriKind.Relative);

    [Fact]
    public Task A_report_is_sent_with_its_length_and_only_once() => WithAppAsync(async client =>
    {
        using var first = await client.GetAsync(Report(5000));
        Assert.Equal(TextOf(5000), await first.Content.ReadAsStringAsync());
        Assert.Equal(TextOf(5000).Length, first.Content.Headers.ContentLength);
        Assert.False(first.Headers.TransferEncodingChunked ?? false);

        using var ask = new HttpRequestMessage(HttpMethod.Get, Report(5000));
        ask.Headers.IfNoneMatch.Add(EntityTagHeaderValue.Parse(first.Headers.ETag!.ToString()));
        using var again = await client.SendAsync(ask);
        Assert.Equal(HttpStatusCode.NotModified, again.StatusCode);
        Assert.Empty(await again.Content.ReadAsByteArrayAsync());
    });

    [Fact]
    public Task A_report_that_fails_midway_is_not_sent() => WithAppAsync(async client =>
    {
        using var response = await client.GetAsync(new Uri("/reports/broken", UriKind.Relative));

        Assert.Equal(HttpStatusCode.InternalServerError, response.StatusCode);
        Assert.Empty(await response.Content.ReadAsByteArrayAsync());
    });

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public Task An_upload_is_answered_with_its_hash(bool lengthIsTold) => WithAppAsync(async client =>
    {
        foreach (var length in (int[])[0, 1, 4096, 300_000, 1 << 20])
        {
            var bytes = RandomNumberGenerator.GetBytes(length);
            using var file = FileOf(bytes, lengthIsTold);
            using var response = await client.PostAsync(_files, file);

            var receipt = await response.Content.ReadFromJsonAsync<Receipt>();
            Assert.Equal(new Receipt(length, Convert.ToHexStringLower(SHA256.HashData(bytes))), receipt);
        }
    });

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public Task An_upload_above_the_limit_is_rejected(bool lengthIsTold) => WithAppAsync(async client =>
    {
        using var file = FileOf(new byte[(1 << 20) + 1], lengthIsTold);
        using var response = await client.PostAsync(_files, file);

        Assert.Equal(HttpStatusCode.RequestEntityTooLarge, response.StatusCode);
    });

    [Fact]
    public async Task Under_load_every_response_is_correct_and_every_stream_is_returned()
    {
        var pool = await WithAppAsync(
            client => Task.WhenAll(Enumerable.Range(1, Clients).Select(number => AskAsync(client, number))));

        var statistics = pool.GetStatistics();
        Assert.Equal(Clients * Rounds * 2, statistics.Rented);
        Assert.Equal(Clients * Rounds * 2, statistics.Returned);
        Assert.InRange(statistics.Misses, 1, Clients * 4);
        Assert.Equal(0, statistics.DoubleReturns);
    }

    [Fact]
    public async Task An_upload_aborted_by_the_client_returns_its_stream()
    {
        var pool = await WithAppAsync(async client =>
        {
            using var abort = new CancellationTokenSource();
            using var endless = new EndlessContent();
            var upload = client.PostAsync(_files, endless, abort.Token);
            await UntilOneIsLeasedAsync(client);
            await abort.CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => upload);
        });

        // The app has stopped, so the request is over.
        Assert.Equal(1, pool.GetStatistics().Rented);
        Assert.Equal(0, pool.GetStatistics().Leased);
    }

    [Fact]
    public async Task Aspnetcore_60860_and_59514_a_stream_that_is_the_result_is_disposed_also_after_a_range_and_an_abort()
    {
        var pool = await WithAppAsync(async client =>
        {
            var whole = await client.GetByteArrayAsync(Export(5000));
            Assert.Equal(TextOf(5000), Encoding.UTF8.GetString(whole));

            using var ask = new HttpRequestMessage(HttpMethod.Get, Export(5000));
            ask.Headers.Range = new RangeHeaderValue(3000, 9999);
            using var range = await client.SendAsync(ask);
            Assert.Equal(HttpStatusCode.PartialContent, range.StatusCode);
            Assert.Equal(whole[3000..10_000], await range.Content.ReadAsByteArrayAsync());

            using var outside = new HttpRequestMessage(HttpMethod.Get, Export(1));
            outside.Headers.Range = new RangeHeaderValue(1000, 1001);
            using var refused = await client.SendAsync(outside);
            Assert.Equal(HttpStatusCode.RequestedRangeNotSatisfiable, refused.StatusCode);

            using var abandoned = await client.GetAsync(Export(2_000_000), HttpCompletionOption.ResponseHeadersRead);
            Assert.Equal(HttpStatusCode.OK, abandoned.StatusCode);
        });

        Assert.Equal((4, 4), (pool.GetStatistics().Rented, pool.GetStatistics().Returned));
        Assert.Equal(0, pool.GetStatistics().DoubleReturns);
    }

    [Fact]
    public async Task A_report_abandoned_by_the_client_returns_its_stream()
    {
        var pool = await WithAppAsync(async client =>
        {
            // Longer than what sockets hold, so that the app is still writing.
            using var response = await client.GetAsync(Report(2_000_000), HttpCompletionOption.ResponseHeadersRead);
            Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        });

        Assert.Equal(1, pool.GetStatistics().Rented);
        Assert.Equal(0, pool.GetStatistics().Leased);
    }

    private static async Task<StreamPool> WithAppAsync(Func<HttpClient, Task> act)
    {
        await using var app = StreamsApp.Build();
        await app.StartAsync();
        var pool = app.Services.GetRequiredService<StreamPool>();
        using (var client = new HttpClient { BaseAddress = new Uri(app.Urls.First()) })
        {
            await act(client);
        }

        await app.StopAsync();
        return pool;
    }

    private static async Task UntilOneIsLeasedAsync(HttpClient client)
    {
        using var deadline = new CancellationTokenSource(TimeSpan.FromSeconds(60));
        while (await client.GetFromJsonAsync<CachePoolStatistics>(_pool, deadline.Token) is not { Leased: 1 })
        {
        }
    }

    private static async Task AskAsync(HttpClient client, int number)
    {
        for (var round = 1; round <= Rounds; round++)
        {
            var lines = number * round;
            Assert.Equal(TextOf(lines), await client.GetStringAsync(Report(lines)));

            var bytes = RandomNumberGenerator.GetBytes(lines * 100);
            using var file = FileOf(bytes, lengthIsTold: round % 2 == 0);
            using var response = await client.PostAsync(_files, file);
            var receipt = await response.Content.ReadFromJsonAsync<Receipt>();
            Assert.Equal(Convert.ToHexStringLower(SHA256.HashData(bytes)), receipt!.Sha256);
        }
    }

    private static Uri Export(int lines) =>
        new(string.Create(CultureInfo.InvariantCulture, $"/exports/{lines}"), UriKind.Relative);

    private static Uri Report(int lines) =>
        new(string.Create(CultureInfo.InvariantCulture, $"/reports/{lines}"), UriKind.Relative);

    private static string TextOf(int lines)
    {
        var text = new StringBuilder();
        for (var line = 1; line <= lines; line++)
        {
            text.Append(CultureInfo.InvariantCulture, $"{line} of {lines}\n");
        }

        return text.ToString();
    }

    private static HttpContent FileOf(byte[] bytes, bool lengthIsTold) =>
        lengthIsTold ? new ByteArrayContent(bytes) : new ChunkedContent(bytes);

    private sealed class ChunkedContent(byte[] bytes) : HttpContent
    {
        protected override Task SerializeToStreamAsync(Stream stream, TransportContext? context) =>
            stream.WriteAsync(bytes).AsTask();

        protected override bool TryComputeLength(out long length)
        {
            length = 0;
            return false;
        }
    }

    /// <summary>Sends a piece and then nothing more.</summary>
    private sealed class EndlessContent : HttpContent
    {
        protected override Task SerializeToStreamAsync(Stream stream, TransportContext? context) =>
            SerializeToStreamAsync(stream, context, CancellationToken.None);

        protected override async Task SerializeToStreamAsync(
            Stream stream, TransportContext? context, CancellationToken cancellationToken)
        {
            await stream.WriteAsync(new byte[10_000], cancellationToken);
            await stream.FlushAsync(cancellationToken);
            await new TaskCompletionSource().Task.WaitAsync(cancellationToken);
        }

        protected override bool TryComputeLength(out long length)
        {
            length = 0;
            return false;
        }
    }
}
