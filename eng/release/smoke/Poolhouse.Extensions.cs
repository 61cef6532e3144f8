// sdk: Microsoft.NET.Sdk.Web
using Poolhouse;

var builder = WebApplication.CreateSlimBuilder();
builder.Services.AddResourcePool<MemoryStream>(
    (_, _) => ValueTask.FromResult(new MemoryStream()), "smoke", options => options.MaxSize = 1)
    .WarmUp(1)
    .DrainOnShutdown();
await using var app = builder.Build();
var pool = app.Services.GetRequiredKeyedService<ResourcePool<MemoryStream>>("smoke");
await using (var lease = await pool.RentAsync())
{
    Console.WriteLine($"OK {pool.Name}".Replace("smoke", "Poolhouse.Extensions"));
}
