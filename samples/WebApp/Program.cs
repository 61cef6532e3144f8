using Poolhouse.Samples;

// With --serve the app runs until Ctrl+C. Without, it visits itself once and shows what its pools did.
var serves = args.Contains("--serve", StringComparer.Ordinal);
var app = WebApp.Build([.. args.Except(["--serve"], StringComparer.Ordinal)]);
await using (app)
{
    await app.StartAsync();
    Console.WriteLine($"Listening on {app.Urls.First()}");
    if (serves)
    {
        await app.WaitForShutdownAsync();
        return;
    }

    await Visit.RunAsync(new Uri(app.Urls.First()));
    await app.StopAsync();
}
