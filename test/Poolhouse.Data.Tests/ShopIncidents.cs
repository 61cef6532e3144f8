using System.Diagnostics;
using System.Globalization;
using System.Text.Json;
using Npgsql;
using Poolhouse.Data.Tests.Servers;

namespace Poolhouse.Data.Tests;

/// <summary>The incidents of the guide "At 3 a.m.": the sample shop starved, leaking, and without its database.</summary>
public sealed class ShopIncidents
{
    private const int MaxSize = 8; // as in the shop's appsettings.json
    private const int Callers = MaxSize + 4;

    private static readonly TimeSpan _longest = TimeSpan.FromMinutes(3);

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task The_verdict_and_the_holder_are_right_within_two_pictures_and_on_the_screen()
    {
        Assert.SkipUnless(WatchScreen.IsAvailable, "Needs tmux.");
        await using var postgres = await PostgresServer.StartOwnAsync();
        await using (var source = NpgsqlDataSource.Create(postgres.ConnectionString + ";Pooling=false"))
        {
            await using var command = source.CreateCommand("CREATE DATABASE shop");
            await command.ExecuteNonQueryAsync(Token);
        }

        var database = postgres.ConnectionString + ";Database=shop";
        await using var shop = await ShopProcess.StartAsync(
            new()
            {
                ["ConnectionStrings__postgres"] = database,
                ["Drill"] = "true",
                ["Poolhouse__shop__Pool__LeakThreshold"] = "00:00:10",
            },
            _longest);
        for (var use = 0; use < 20; use++)
        {
            await shop.GetAsync("/cups");
        }

        await using var watch = new WatchProcess(shop.Id);
        await using var screen = await WatchScreen.StartAsync(shop.Id);
        await watch.UntilAsync("shop", "none", IsAny, Token);
        await screen.UntilAsync(Token, "ok  shop");

        await StarveAsync(shop, watch, screen, database);
        await watch.UntilAsync("shop", "none", IsAny, Token);

        await postgres.StopAsync();
        var refused = Enumerable.Range(0, 3).Select(_ => AskAsync(shop)).ToList();
        var (outage, late) = await watch.UntilAsync("shop", "outage", IsInOutage, Token);
        await screen.UntilAsync(Token, "> OUTAGE ", "Check the server (Npgsql.");
        Assert.Equal(0, late);
        Assert.StartsWith("Check the server (Npgsql.", outage.GetProperty("next").GetString(), StringComparison.Ordinal);
        await Task.WhenAll(refused);
        await postgres.StartAgainAsync(Token);
        await AskAsync(shop);
        await watch.UntilAsync("shop", "none", IsAny, Token);

        await shop.GetAsync("/export");
        var (leak, leakLate) = await watch.UntilAsync("shop", "leak", IsOld, Token);
        Assert.InRange(leakLate, 0, 2);
        Assert.Contains("1 by /export", leak.GetProperty("figures").GetString(), StringComparison.Ordinal);
        await screen.UntilAsync(Token, "> LEAK ", "1/8 held, 1 by /export", "Find where /export keeps its lease");
        await FreezeAsync(shop, async () =>
        {
            await screen.PressAsync("Enter");
            await screen.UntilAsync(Token, "Esc back");

            // Drawn in another size when it has given up asking the process for the details.
            await screen.ResizeAsync(12);
            await screen.UntilAsync(Token, "Esc back", "lines 1-10 of ");
        });
        await screen.ResizeAsync(WatchScreen.Height);
        AssertIsWhole(await screen.UntilAsync(Token, "Oldest leases", "item ", "Up/Down scroll  Esc back  q quit"));
        await screen.PressAsync("q");
    }

    private static async Task FreezeAsync(ShopProcess shop, Func<Task> action)
    {
        await SignalAsync(shop, "STOP");
        try
        {
            await action();
        }
        finally
        {
            await SignalAsync(shop, "CONT");
        }
    }

    private static async Task SignalAsync(ShopProcess shop, string signal)
    {
        using var kill = Process.Start("kill", [$"-{signal}", $"{shop.Id}"]);
        await kill.WaitForExitAsync(CancellationToken.None);
    }

    // A line that is wrapped begins without its indentation.
    private static void AssertIsWhole(IReadOnlyList<string> lines)
    {
        Assert.StartsWith("Shop (", lines[0], StringComparison.Ordinal);
        string[] titles = ["Oldest leases", "Waits", "Uses", "Events", "No events", "https://", "#"];
        Assert.All(lines.Skip(1).SkipLast(1), line => Assert.True(
            line.Length == 0 || line.StartsWith("  ", StringComparison.Ordinal)
            || Array.Exists(titles, title => line.StartsWith(title, StringComparison.Ordinal)), line));
    }

    private static async Task StarveAsync(ShopProcess shop, WatchProcess watch, WatchScreen screen, string database)
    {
        await using var source = NpgsqlDataSource.Create(database + ";Pooling=false");
        await using var locking = await source.OpenConnectionAsync(Token);
        await using var transaction = await locking.BeginTransactionAsync(Token);
        await using var command = new NpgsqlCommand("LOCK TABLE cups IN ACCESS EXCLUSIVE MODE", locking);
        await command.ExecuteNonQueryAsync(Token);
        var waiting = Enumerable.Range(0, Callers).Select(_ => AskAsync(shop)).ToList();
        var (row, late) = await watch.UntilAsync("shop", "slow-uses", IsStarved, Token);
        await screen.UntilAsync(Token, "> SATURATED ", "8/8 held, 8 by /cups", "Look at what /cups waits for");
        await transaction.RollbackAsync(Token);
        await Task.WhenAll(waiting);
        Assert.InRange(late, 0, 2);
        Assert.Contains(
            string.Create(CultureInfo.InvariantCulture, $"{MaxSize}/{MaxSize} held, {MaxSize} by /cups"),
            row.GetProperty("figures").GetString(), StringComparison.Ordinal);
    }

    private static async Task AskAsync(ShopProcess shop)
    {
        using var answer = await shop.Client.GetAsync(new Uri("/cups", UriKind.Relative), Token);
    }

    private static bool IsAny(JsonElement row) => true;

    private static bool IsStarved(JsonElement row) =>
        row.GetProperty("waiting").GetInt64() > 0 && row.GetProperty("leased").GetInt64() == MaxSize;

    private static bool IsInOutage(JsonElement row) =>
        string.Equals(row.GetProperty("condition").GetString(), nameof(PoolCondition.Outage), StringComparison.Ordinal);

    private static bool IsOld(JsonElement row) => row.GetProperty("oldestLeaseSeconds").GetDouble() > 10;
}
