using System.Net.Http.Json;
using Poolhouse.Samples.OrdersApi;

// With --serve the app runs until Ctrl+C. Without, it visits itself once and shows what its pool did.
var serves = args.Contains("--serve", StringComparer.Ordinal);
var app = OrdersApp.Build([.. args.Except(["--serve"], StringComparer.Ordinal)]);
await using (app)
{
    await OrdersApp.PrepareAsync(app);
    await app.StartAsync();
    Console.WriteLine($"Listening on {app.Urls.First()}");
    if (serves)
    {
        await app.WaitForShutdownAsync();
        return;
    }

    using var client = new HttpClient { BaseAddress = new Uri(app.Urls.First()) };
    await Task.WhenAll(Enumerable.Range(1, 20).Select(count =>
        client.PostAsJsonAsync(new Uri("/orders", UriKind.Relative), new Order("Ada", $"cup {count % 3}", count))));
    Console.WriteLine(await client.GetStringAsync(new Uri("/orders/Ada", UriKind.Relative)));
    Console.WriteLine(await client.GetStringAsync(new Uri("/pool", UriKind.Relative)));
    await app.StopAsync();
}
