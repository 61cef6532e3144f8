using System.Net.Http.Json;

namespace Poolhouse.Samples;

/// <summary>Eight clients at once, each asking every endpoint in turn.</summary>
internal static class Visit
{
    private const int Clients = 8;
    private const int Rounds = 100;

    public static async Task RunAsync(Uri address)
    {
        using var client = new HttpClient { BaseAddress = address };
        await Task.WhenAll(Enumerable.Range(0, Clients).Select(_ => AskAsync(client)));

        var report = await client.GetFromJsonAsync<PoolReport>(new Uri("/pools", UriKind.Relative))
            ?? throw new InvalidOperationException("/pools answered null.");
        Console.WriteLine($"{Clients * Rounds * 3} requests, {report.Dirty} dirty items.");
        foreach (var (name, statistics) in report.Pools.OrderBy(pool => pool.Name, StringComparer.Ordinal))
        {
            Console.WriteLine($"{name}: {statistics.Rented} rents, {statistics.Created} created.");
        }
    }

    private static async Task AskAsync(HttpClient client)
    {
        for (var round = 0; round < Rounds; round++)
        {
            await client.GetStringAsync(new Uri($"/count?to={round}", UriKind.Relative));
            await client.GetStringAsync(new Uri($"/sum?n=1&n={round}", UriKind.Relative));
            await client.GetStringAsync(new Uri($"/greet/visitor-{round}", UriKind.Relative));
        }
    }
}
