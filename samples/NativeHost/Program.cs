using System.Text.Json;
using Npgsql;
using Poolhouse;
using Poolhouse.OpenTelemetry;
using Poolhouse.Samples.NativeHost;

// Registers every kind of pool that the packages for hosting have, with settings from the configuration; starts, and prints what
// the pools report.
var builder =
    WebApplication.CreateSlimBuilder(new WebApplicationOptions { Args = args, ContentRootPath = AppContext.BaseDirectory });
builder.Logging.ClearProviders();
builder.WebHost.UseUrls("http://127.0.0.1:0");
var services = builder.Services;
services.AddResourcePool((_, _) => ValueTask.FromResult(new Session()), "sessions").BindConfiguration().WarmUp(2)
    .DrainOnShutdown().AddHealthCheck();
services.AddResourcePool((_, _) => ValueTask.FromResult(new Session()), "one", options => options.MaxSize = 1);
services.AddObjectPool<Session>("objects").BindConfiguration();
services.AddWorkerPool(_ => new Session(), "workers", options => options.MaxWorkers = 2).BindConfiguration();
services.AddPooledDataSource(NpgsqlFactory.Instance, "Host=127.0.0.1;Port=1", "database").BindConfiguration();
services.AddLdapPool("directory").BindConfiguration();
services.AddHttpClient("rates").AddPoolhouseBulkhead(pool: pool => pool.BindConfiguration("Poolhouse:rates"));
services.AddPoolhouseProblemDetails();

var app = builder.Build();
app.UseExceptionHandler();
app.UseRouting();
app.UseLeaseLabels();
app.MapPoolhouse();
app.MapHealthChecks("/health");
app.MapGet("/exhausted", (RequestDelegate)(async context =>
{
    var pool = context.RequestServices.GetRequiredKeyedService<ResourcePool<Session>>("one");
    using var held = await pool.RentAsync();
    using var second = await pool.RentAsync(TimeSpan.FromMilliseconds(10));
}));
await app.StartAsync();

using var client = new HttpClient { BaseAddress = new Uri(app.Urls.First()) };
using var pools = JsonDocument.Parse(await client.GetStringAsync(new Uri("/pools", UriKind.Relative)));
foreach (var pool in pools.RootElement.EnumerateArray())
{
    var limit = pool.TryGetProperty("maxLeased", out var max) ? max.GetInt32() : 0;
    Console.WriteLine(
        $"{pool.GetProperty("name")}: {pool.GetProperty("kind")} of {pool.GetProperty("itemType")}, at most {limit}, " +
        $"{pool.GetProperty("state")}");
}

Console.WriteLine(await client.GetStringAsync(new Uri("/health", UriKind.Relative)));
using var refused = await client.GetAsync(new Uri("/exhausted", UriKind.Relative));
Console.WriteLine((int)refused.StatusCode);
Console.WriteLine(PoolhouseTelemetry.Meter);
await app.StopAsync();
