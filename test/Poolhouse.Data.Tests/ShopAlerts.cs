using System.Text.Json;
using Npgsql;
using Poolhouse.Data.Tests.Faults;
using Poolhouse.Data.Tests.Servers;
using Poolhouse.TestSupport;

namespace Poolhouse.Data.Tests;

/// <summary>A Prometheus scrapes the sample shop with the rules and the dashboard of docs/dashboards.</summary>
public sealed class ShopAlerts(PostgresServer postgres)
{
    private const int MaxSize = 8; // as in the shop's appsettings.json

    private static readonly TimeSpan _longest = TimeSpan.FromMinutes(3);

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task The_alerts_fire_while_a_pool_is_exhausted_and_clear_and_every_query_of_the_dashboard_has_data()
    {
        var connectionString = await postgres.CreateDatabaseAsync();
        await using var shop = await ShopProcess.StartAsync(
            new() { ["ConnectionStrings__postgres"] = connectionString, ["Poolhouse__shop__Pool__RentTimeout"] = "00:00:05" },
            _longest);
        await shop.GetAsync("/orders/ada/receipt?currency=EUR");
        await using var prometheus = await TemporaryPrometheus.StartAsync(shop.Client.BaseAddress!, await RulesAsync(), Token);
        await UntilAsync(async () => (await prometheus.QueryAsync("poolhouse_pool_item_max", Token)).Count > 0);
        Assert.Empty(await prometheus.FiringAsync(Token));

        await using var source = NpgsqlDataSource.Create(connectionString + ";Pooling=false");
        await using (var locking = await source.OpenConnectionAsync(Token))
        await using (var transaction = await locking.BeginTransactionAsync(Token))
        {
            await using var command = new NpgsqlCommand("LOCK TABLE cups IN ACCESS EXCLUSIVE MODE", locking);
            await command.ExecuteNonQueryAsync(Token);
            using var more = new CancellationTokenSource();
            var customers = Enumerable.Range(0, MaxSize + 2).Select(_ => LookAsync(shop, more.Token)).ToList();
            await UntilAsync(
                async () => (await prometheus.FiringAsync(Token)).ToHashSet().IsSupersetOf(["PoolExhausted", "PoolRefusesCallers"]));
            Assert.Empty((await prometheus.FiringAsync(Token)).Intersect(["PoolLeaks", "PoolItemsReturnedTwice"]));
            await more.CancelAsync();
            await transaction.RollbackAsync(Token);
            await Task.WhenAll(customers);
        }

        await UntilAsync(async () => !(await prometheus.FiringAsync(Token)).Contains("PoolExhausted"));
        foreach (var query in await QueriesAsync())
        {
            // What is true only while callers wait counts, too.
            await UntilAsync(
                async () => (await prometheus.QueryAsync($"max_over_time(({query})[2m:500ms])", Token)).Count > 0, query);
        }
    }

    // A customer who was refused comes back.
    private static async Task LookAsync(ShopProcess shop, CancellationToken enough)
    {
        while (!enough.IsCancellationRequested)
        {
            using var response = await shop.Client.GetAsync(new Uri("/cups", UriKind.Relative), Token);
            Assert.True((int)response.StatusCode is 200 or 503, response.ToString());
        }
    }

    private static async Task<string> RulesAsync()
    {
        var rules = await File.ReadAllTextAsync(PathOf("alerts.yml"), Token);
        Assert.Contains("for: 1m", rules, StringComparison.Ordinal);
        return rules.Replace("for: 1m", "for: 1s", StringComparison.Ordinal);
    }

    private static async Task<IReadOnlyList<string>> QueriesAsync()
    {
        var dashboard = JsonElement.Parse(await File.ReadAllTextAsync(PathOf("grafana.json"), Token));
        return
        [
            .. from panel in dashboard.GetProperty("panels").EnumerateArray()
               where panel.TryGetProperty("targets", out _)
               from target in panel.GetProperty("targets").EnumerateArray()
               select Replace(target.GetProperty("expr").GetString()!),
        ];
    }

    // As Grafana replaces the variables while "All" is selected.
    private static string Replace(string query) => query
        .Replace("$__rate_interval", "2s", StringComparison.Ordinal)
        .Replace("\"$job\"", "\".*\"", StringComparison.Ordinal)
        .Replace("\"$instance\"", "\".*\"", StringComparison.Ordinal)
        .Replace("\"$pool\"", "\".*\"", StringComparison.Ordinal)
        .Replace("\"$database\"", "\".*\"", StringComparison.Ordinal);

    private static string PathOf(string file) => Checkout.PathOf("docs", "dashboards", file);

    private static Task UntilAsync(Func<Task<bool>> condition, string what = "a sample or an alert") => Patience.UntilAsync(
        () => new ValueTask<bool>(condition()), static isReached => isReached, what, _longest);
}
