using System.Diagnostics;
using System.Globalization;
using MySqlConnector;
using Poolhouse.Data.Tests.Servers;
using Poolhouse.Tool.Servers;

namespace Poolhouse.Data.Tests.Faults;

/// <summary><c>poolhouse fleet --provider mysql</c>, on MariaDB.</summary>
public sealed class FleetTool(OwnMariaDb ownMariaDb) : IClassFixture<OwnMariaDb>
{
    [Fact]
    public async Task Who_holds_what_is_shown_to_the_user_of_the_instances_and_to_an_administrator()
    {
        var mariaDb = await ownMariaDb.StartAsync();
        var password = ServerPassword.Create();
        await Administrator.RunAsync(
            MySqlConnectorFactory.Instance, mariaDb.ConnectionString,
            $"CREATE USER shop@'127.0.0.1' IDENTIFIED BY '{password}' WITH MAX_USER_CONNECTIONS 12");
        var connectionString = new MySqlConnectionStringBuilder(mariaDb.ConnectionString)
        {
            UserID = "shop",
            Password = password,
            Pooling = true,
        }.ConnectionString;
        var options = new DbPoolOptions();
        options.Pool.MaxSize = 20;
        options.Pool.Budget = ServerBudget.Join(MySqlConnectorFactory.Instance, connectionString, "orders");
        await using var source = PooledDataSource.Create(MySqlConnectorFactory.Instance, connectionString, options);
        await using var first = await source.OpenConnectionAsync(TestContext.Current.CancellationToken);
        await using var second = await source.OpenConnectionAsync(TestContext.Current.CancellationToken);

        foreach (var viewer in (string[])[connectionString, mariaDb.ConnectionString])
        {
            var output = "";
            await Patience.UntilAsync(
                async () => output = await ShowAsync(viewer),
                static shown => shown.Contains("    2      2  ", StringComparison.Ordinal), "two connections");
            Assert.Matches(
                @"^User shop: 3 of 12 places are used\.\s+BUDGET .*\s+" +
                    @"orders            [0-9a-f]{8}  127\.0\.0\.1            2      2",
                output);
            Assert.DoesNotContain("ALTER USER", output, StringComparison.Ordinal);
        }
    }

    private static async Task<string> ShowAsync(string connectionString)
    {
        var program = Path.GetFullPath(Path.Combine(
            AppContext.BaseDirectory, "..", "..", "Poolhouse.Tool", new DirectoryInfo(AppContext.BaseDirectory).Name,
            "Poolhouse.Tool.dll"));
        using var process = Process.Start(new ProcessStartInfo(
            "dotnet", [program, "fleet", "--provider", "mysql", "--connection", connectionString])
        {
            UseShellExecute = false,
            RedirectStandardOutput = true,
        })!;
        var output = await process.StandardOutput.ReadToEndAsync(TestContext.Current.CancellationToken);
        await process.WaitForExitAsync(TestContext.Current.CancellationToken);
        return string.Create(CultureInfo.InvariantCulture, $"{output}");
    }
}
