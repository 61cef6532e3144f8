using Poolhouse.Tool.Fleet;

namespace Poolhouse.Tool.Tests.Fleet;

public sealed class Arithmetic
{
    [Fact]
    public void The_shares_of_more_and_more_instances_are_drawn()
    {
        var lines = FleetArithmetic.Describe(instances: 50, places: 200, maxSize: 20);

        Assert.Equal("50 instances x MaxSize 20 = 1000 sessions, and the server accepts 200.", lines[0]);
        Assert.Contains("        5         194   20       ########################################", lines);
        Assert.Contains("       20         179   8 to 9   ##################", lines);
        Assert.Contains("       50         149   2 to 3   ######", lines);
        Assert.Equal("Up to 99 instances, each has at least one session.", lines[^1]);
    }

    [Fact]
    public void Too_many_instances_are_pointed_out() => Assert.StartsWith(
        "Beyond 99 instances, some have no session for their callers",
        FleetArithmetic.Describe(instances: 1000, places: 200, maxSize: 20)[^1], StringComparison.Ordinal);

    [Fact]
    public void A_report_shows_who_holds_what_who_waits_and_what_to_run()
    {
        var lines = FleetReport.Describe(
            FleetServer.Of("npgsql"),
        [
            new FleetInstance("shop", -1, "orders", "11111111", "10.0.0.1", Held: 5, Wanted: 3, ServerLimit: 12),
            new FleetInstance("shop", -1, "orders", "22222222", "10.0.0.2", Held: 1, Wanted: 8, ServerLimit: 12),
            new FleetInstance("shop", -1, "orders", "33333333", "10.0.0.3", Held: 1, Wanted: null, ServerLimit: 12),
            new FleetInstance("shop", -1, null, null, "10.0.0.4", Held: 2, Wanted: null, ServerLimit: 12),
            new FleetInstance("other", 5, null, null, "10.0.0.4", Held: 2, Wanted: null, ServerLimit: 12),
        ]);

        Assert.Equal(
            [
                "Role shop: 11 of 12 places are used.",
                "BUDGET            INSTANCE  HOST             HOLDS  WANTS  MAY HOLD",
                "orders            11111111  10.0.0.1             5      3         3",
                "orders            22222222  10.0.0.2             1      8         1  waits",
                "orders            33333333  10.0.0.3             1      -         -  has no session of its own",
                "(none)                                         2",
                "The role has no limit, so only the instances themselves keep to the server's. Run:",
                "    ALTER ROLE \"shop\" CONNECTION LIMIT 12;",
            ],
            lines);
    }

    [Theory]
    [InlineData("app@10.0.%", "ALTER USER 'app'@'10.0.%' WITH MAX_USER_CONNECTIONS 40;")]
    [InlineData("o'neil@%", "ALTER USER 'o''neil'@'%' WITH MAX_USER_CONNECTIONS 40;")]
    public void The_limit_of_a_MySQL_account_names_its_host(string account, string statement)
    {
        var instance = new FleetInstance("app", -1, "orders", "11111111", "10.0.0.1", Held: 5, Wanted: 3, ServerLimit: 100)
        {
            Account = account,
        };

        Assert.Equal(statement, FleetServer.Of("mysql").LimitOf(instance, 40));
    }
}
