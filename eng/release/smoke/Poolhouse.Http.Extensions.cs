// sdk: Microsoft.NET.Sdk.Web
var builder = WebApplication.CreateSlimBuilder();
builder.Services.AddHttpClient("quotes")
    .AddPoolhouseBulkhead(options => options.MaxPerEndpoint = 1)
    .ConfigurePrimaryHttpMessageHandler(() => new Answer());
await using var app = builder.Build();
using var client = app.Services.GetRequiredService<IHttpClientFactory>().CreateClient("quotes");
Console.WriteLine(await client.GetStringAsync("http://localhost/"));

internal sealed class Answer : HttpMessageHandler
{
    protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken) =>
        Task.FromResult(new HttpResponseMessage { Content = new StringContent("OK Poolhouse.Http.Extensions") });
}
