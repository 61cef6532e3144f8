// sdk: Microsoft.NET.Sdk.Web
// not trimmed: the page of the pools is tried in ASP.NET Core as most applications run it
using Poolhouse;

var builder = WebApplication.CreateBuilder();
builder.WebHost.UseUrls("http://127.0.0.1:0");
builder.Logging.ClearProviders();
builder.Services.AddResourcePool<MemoryStream>(
    (_, _) => ValueTask.FromResult(new MemoryStream()), "smoke", options => options.MaxSize = 1);
await using var app = builder.Build();
app.MapPoolhouse("/pools");
await app.StartAsync();
using var client = new HttpClient();
var page = await client.GetStringAsync($"{app.Urls.First()}/pools");
Console.WriteLine(page.Contains("smoke") ? "OK Poolhouse.AspNetCore" : "not OK");
