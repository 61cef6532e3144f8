using MySqlConnector;
using Poolhouse.Data.Tests.Servers;
using Poolhouse.TestSupport;

namespace Poolhouse.Data.Tests.Faults;

/// <summary><c>poolhouse fleet --provider mysql</c>, on MariaDB.</summary>
public sealed class FleetTool(OwnMariaDb ownMariaDb) : IClassFixture<OwnMariaDb>
{
    [Fact]
    public async Task Who_holds_what_is_shown_to_the_user_of_the_instances_and_to_an_administrator()
    {
        var mariaDb = await ownMariaDb.StartAsync();
        var connectionString = await LimitedUser.CreateAsync(mariaDb, sessions: 12, "shop");
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

    private static async Task<string> ShowAsync(string connectionString) =>
        (await ChildProcess.RunToEndAsync(ToolProcess.With("fleet", "--provider", "mysql", "--connection", connectionString))).Output;
}
