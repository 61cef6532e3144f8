using Poolhouse.Http;

using var bulkhead = new BulkheadHandler(new BulkheadOptions { MaxPerEndpoint = 1 }, new Answer());
using var client = new HttpClient(bulkhead);
Console.WriteLine(await client.GetStringAsync("http://localhost/"));

internal sealed class Answer : HttpMessageHandler
{
    protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken) =>
        Task.FromResult(new HttpResponseMessage { Content = new StringContent("OK Poolhouse.Http") });
}
