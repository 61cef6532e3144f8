using Poolhouse.Http;

namespace Poolhouse.Samples.OutgoingHttp;

internal static class BulkheadLessons
{
    public static async Task LimitAsync(Server server)
    {
        // snippet: http-bulkhead
        using var sockets = new SocketsHttpHandler { PooledConnectionLifetime = TimeSpan.FromMinutes(2) };
        using var bulkhead = new BulkheadHandler(
            new BulkheadOptions { MaxPerEndpoint = 4, MaxWaiters = 100, RentTimeout = TimeSpan.FromSeconds(30), Name = "quotes" },
            sockets);
        using var client = new HttpClient(bulkhead);
        // end snippet
        var answers = await Task.WhenAll(Enumerable.Range(0, 20).Select(_ => client.GetStringAsync(server.Quote)));
        Console.WriteLine($"{answers.Length} answers, never more than 4 at once: {server.Peak <= 4}.");
    }

    public static async Task StreamAsync(Server server)
    {
        using var sockets = new SocketsHttpHandler();
        using var bulkhead = new BulkheadHandler(new BulkheadOptions { MaxPerEndpoint = 4 }, sockets);
        using var client = new HttpClient(bulkhead);
        long during;

        // snippet: http-stream
        using (var response = await client.GetAsync(server.Quote, HttpCompletionOption.ResponseHeadersRead))
        {
            during = bulkhead.Bulkhead.GetStatistics().Leased;
            await using var body = await response.Content.ReadAsStreamAsync();
            await body.CopyToAsync(Stream.Null);
        }

        // end snippet
        Console.WriteLine($"{during} under way while the body is read, {bulkhead.Bulkhead.GetStatistics().Leased} after it.");
    }

    public static async Task RefuseAsync(Server server)
    {
        using var sockets = new SocketsHttpHandler();
        using var bulkhead = new BulkheadHandler(new BulkheadOptions { MaxPerEndpoint = 1, MaxWaiters = 0 }, sockets);
        using var client = new HttpClient(bulkhead);
        using var held = await client.GetAsync(server.Quote, HttpCompletionOption.ResponseHeadersRead);

        // snippet: http-rejected
        try
        {
            Console.WriteLine(await client.GetStringAsync(server.Quote));
        }
        catch (BulkheadRejectedException rejected)
        {
            // In a server: answer 503, with Retry-After if RetryAfter is known.
            Console.WriteLine($"Not sent: {rejected.Reason}.");
        }

        // end snippet
    }
}
