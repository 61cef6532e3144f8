using Poolhouse.TestSupport;

namespace Poolhouse.Http.Tests.Bulkheads;

/// <summary>What a request through a bulkhead allocates beyond the same request without one.</summary>
// The bytes are counted in processes of their own: without other tests, and without the tracking of leases (WholeRun).
public sealed class Allocation
{
    private const int Count = 1_000;
    private const long Allowed = 400;

    [Fact]
    public Task A_synchronously_completed_buffered_response_stays_within_the_allocation_limit() =>
        OwnProcess.RunAsync(typeof(Allocation), nameof(Counts_bytes_of_synchronous_responses));

    [Fact]
    public Task An_asynchronously_completed_buffered_response_stays_within_the_allocation_limit() =>
        OwnProcess.RunAsync(typeof(Allocation), nameof(Counts_bytes_of_asynchronous_responses));

    [Fact(Explicit = true)]
    public async Task Counts_bytes_of_synchronous_responses() => Assert.InRange(
        await OverheadAsync(completesLater: false, static response => response.Content.LoadIntoBufferAsync()), 1, Allowed);

    [Fact(Explicit = true)]
    public async Task Counts_bytes_of_asynchronous_responses() => Assert.InRange(
        await OverheadAsync(completesLater: true, static response => response.Content.LoadIntoBufferAsync()), 1, Allowed);

    private static async Task<long> OverheadAsync(bool completesLater, Func<HttpResponseMessage, Task> read)
    {
        using var plain = new HttpMessageInvoker(new Responder(completesLater));
        using var guarded = new HttpMessageInvoker(
            new BulkheadHandler(new BulkheadOptions { MaxPerEndpoint = 4 }, new Responder(completesLater)));
        await MeasureAsync(plain, read);
        await MeasureAsync(guarded, read);

        // Others allocate meanwhile, never less: of each, the least disturbed round counts.
        var (without, with) = (long.MaxValue, long.MaxValue);
        for (var round = 0; round < 5; round++)
        {
            without = Math.Min(without, await MeasureAsync(plain, read));
            with = Math.Min(with, await MeasureAsync(guarded, read));
        }

        return with - without;
    }

    private static async Task<long> MeasureAsync(HttpMessageInvoker client, Func<HttpResponseMessage, Task> read)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, new Uri("http://server/"));
        var before = GC.GetTotalAllocatedBytes(precise: true);
        for (var i = 0; i < Count; i++)
        {
            using var response = await client.SendAsync(request, CancellationToken.None);
            await read(response);
        }

        return (GC.GetTotalAllocatedBytes(precise: true) - before) / Count;
    }

    /// <summary>Answers with a body of five bytes and the headers of a usual answer.</summary>
    private sealed class Responder(bool completesLater) : HttpMessageHandler
    {
        protected override async Task<HttpResponseMessage> SendAsync(
            HttpRequestMessage request, CancellationToken cancellationToken)
        {
            if (completesLater)
            {
                await Task.Yield();
            }

            var response =
                new HttpResponseMessage { RequestMessage = request, Content = new ReadOnlyMemoryContent("hello"u8.ToArray()) };
            response.Content.Headers.TryAddWithoutValidation("Content-Type", "text/plain");
            response.Content.Headers.TryAddWithoutValidation("Content-Length", "5");
            return response;
        }
    }
}
