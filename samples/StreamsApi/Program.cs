using System.Net.Http.Headers;
using Poolhouse.Samples.StreamsApi;

// With --serve the app runs until Ctrl+C. Without, it visits itself once and shows what its pool did.
var serves = args.Contains("--serve", StringComparer.Ordinal);
var app = StreamsApp.Build([.. args.Except(["--serve"], StringComparer.Ordinal)]);
await using (app)
{
    await app.StartAsync();
    Console.WriteLine($"Listening on {app.Urls.First()}");
    if (serves)
    {
        await app.WaitForShutdownAsync();
        return;
    }

    using var client = new HttpClient { BaseAddress = new Uri(app.Urls.First()) };
    var report = new Uri("/reports/1000", UriKind.Relative);
    using var first = await client.GetAsync(report);
    Console.WriteLine($"A report: {first.Content.Headers.ContentLength} bytes, ETag {first.Headers.ETag}.");

    client.DefaultRequestHeaders.IfNoneMatch.Add(EntityTagHeaderValue.Parse(first.Headers.ETag!.ToString()));
    using var again = await client.GetAsync(report);
    Console.WriteLine($"Once more: {again.StatusCode}.");

    using var file = new ByteArrayContent(new byte[300_000]);
    using var receipt = await client.PostAsync(new Uri("/files", UriKind.Relative), file);
    Console.WriteLine(await receipt.Content.ReadAsStringAsync());
    Console.WriteLine(await client.GetStringAsync(new Uri("/pool", UriKind.Relative)));
    await app.StopAsync();
}
