using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.Hosting;
using Poolhouse.Samples.WebBench;

if (args.Length == 0)
{
    Console.WriteLine($"Skipped: give the connection string of a PostgreSQL server, and one of {string.Join(", ", Ways.All)}.");
    return;
}

const int MaxSize = 64;
await WorldApp.SeedAsync(args[0], CancellationToken.None);
await using var store = Ways.Open(args.Length > 1 ? args[1] : Ways.Source, args[0], MaxSize);
var app = WorldApp.Build(store, "http://127.0.0.1:8080");
await using (app)
{
    await app.StartAsync();
    Console.WriteLine($"Listening on http://127.0.0.1:8080: /db, /queries?queries=20, /fortunes, /updates?queries=20");
    await app.WaitForShutdownAsync();
}
