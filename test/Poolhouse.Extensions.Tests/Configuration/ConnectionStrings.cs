using Microsoft.Data.Sqlite;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using Poolhouse.Data;
using Poolhouse.Ldap;

namespace Poolhouse.Extensions.Tests.Configuration;

public sealed class ConnectionStrings
{
    [Fact]
    public void A_connection_string_that_the_configuration_lacks_is_named_as_the_cause()
    {
        var services = new ServiceCollection();
        services.AddLdapPool(_ => null!, "directory");
        services.AddPooledDataSource(SqliteFactory.Instance, _ => null!, "orders");
        services.AddDbConnectionPool<SqliteConnection>(SqliteFactory.Instance, _ => null!, "notes");
        using var provider = services.BuildServiceProvider();

        Assert.All(
            new (string Pool, Func<object> Resolve)[]
            {
                ("Pool 'directory' (AddLdapPool): ", () => provider.GetRequiredKeyedService<LdapConnectionPool>("directory")),
                ("Pool 'orders' (AddPooledDataSource): ", () => provider.GetRequiredKeyedService<PooledDataSource>("orders")),
                ("Pool 'notes' (AddDbConnectionPool<SqliteConnection>): ",
                    () => provider.GetRequiredKeyedService<DbConnectionPool<SqliteConnection>>("notes")),
            },
            each => Assert.StartsWith(
                each.Pool + "The connection string is null. If it comes from the configuration, check that ConnectionStrings " +
                "contains its name.",
                Assert.Throws<OptionsValidationException>(each.Resolve).Message, StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("Data Source=orders.db;Max Pool Size=many", "Max Pool Size=")]
    [InlineData("Data Source=orders.db;Timeout=7", "RentTimeout is set to 00:00:05, and the connection string has Timeout=")]
    [InlineData("Data Source=orders.db;Min Pool Size=9;Max Pool Size=2", "a minimum pool size of 9 and a maximum of 2")]
    [InlineData("no keywords", "The connection string is invalid")]
    public void An_invalid_connection_string_is_reported_with_the_name_of_its_pool(string connectionString, string problem)
    {
        var services = new ServiceCollection();
        services.AddPooledDataSource(
            SqliteFactory.Instance, _ => connectionString, "orders",
            options => options.Pool.RentTimeout = TimeSpan.FromSeconds(5));
        using var provider = services.BuildServiceProvider();

        var invalid = Assert.Throws<OptionsValidationException>(
            () => provider.GetRequiredKeyedService<PooledDataSource>("orders"));

        Assert.StartsWith("Pool 'orders' (AddPooledDataSource): ", invalid.Message, StringComparison.Ordinal);
        Assert.Contains(problem, invalid.Message, StringComparison.OrdinalIgnoreCase);
    }

    [Fact]
    public void A_connection_string_leaves_options_alone_that_it_does_not_contain()
    {
        var shared = new ResourcePoolOptions { MaxSize = 4 };
        var services = new ServiceCollection();
        services.ConfigureAll<LdapPoolOptions>(options =>
        {
            (options.Security, options.Pool, options.VerifyPool) = (LdapSecurity.StartTls, shared, shared);
            options.Servers.Add("all.invalid");
        });
        services.AddLdapPool(_ => "Server=one.invalid;User Name=cn=app;Password=p;Min Pool Size=2;Max Verify Pool Size=1", "staff");
        using var provider = services.BuildServiceProvider();

        var options = provider.GetRequiredService<IOptionsMonitor<LdapPoolOptions>>().Get("staff");

        Assert.Equal((LdapSecurity.StartTls, "cn=app"), (options.Security, options.UserName));
        Assert.Equal(["one.invalid"], options.Servers);
        Assert.Equal((4, 2, 1), (options.Pool.MaxSize, options.Pool.MinIdle, options.VerifyPool.MaxSize));
        Assert.Equal((4, 0), (shared.MaxSize, shared.MinIdle));
    }
}
