// snippet: hosting-program
using System.Data.Common;
using Microsoft.Data.Sqlite;
using Poolhouse.Extensions;

var builder = WebApplication.CreateBuilder(args);
builder.Services
    .AddPooledDataSource(SqliteFactory.Instance, builder.Configuration.GetConnectionString("orders")!)
    .BindConfiguration("Poolhouse:orders")
    .WarmUp(2, WarmUpMode.BeforeStart)
    .DrainOnShutdown()
    .AddHealthCheck();

var app = builder.Build();
app.MapHealthChecks("/health");
app.MapGet("/answer", async (DbDataSource orders, CancellationToken token) =>
{
    await using var command = orders.CreateCommand("SELECT 42");
    return await command.ExecuteScalarAsync(token);
});
// end snippet

app.MapPoolhouse();

// snippet: hosting-pools
app.MapGet("/leases", (IPools pools) => pools.Select(info => new { info.Name, info.GetFigures().Leased }));
// end snippet

// A request that holds its connection until the app begins to stop, and a moment longer.
app.MapGet("/slow", async (DbDataSource orders, IHostApplicationLifetime lifetime) =>
{
    await using var connection = await orders.OpenConnectionAsync(CancellationToken.None);
    var stopping = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
    await using var registration = lifetime.ApplicationStopping.Register(stopping.SetResult);
    await stopping.Task;
    return "finished";
});

await app.RunAsync();
