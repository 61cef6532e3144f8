using System.Reflection;
using Microsoft.Data.Sqlite;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using Poolhouse.Data;
using Poolhouse.Ldap;
using Poolhouse.Ldap.Extensions;

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
    public void Every_option_of_a_connection_string_is_taken_over()
    {
        var parsed = LdapPoolOptions.Parse(
            "Servers=one,two;DnsDomain=example.org;DnsRefreshInterval=60;Port=1389;Security=StartTls;AuthType=Anonymous;UserName=cn=app;Password=p;" +
            "ProtocolVersion=2;ServerNameIsFullyQualified=true;OperationTimeout=7;TrustedCertificatesDirectory=/certs;Validation=RootDse;Retries=Search;MaxBindsPerConnection=3");
        (parsed.MaxThreads, parsed.MaxStuckThreads, parsed.CredentialSpread) = (9, 2, TimeSpan.FromSeconds(3));
        (parsed.Credentials, parsed.VerifyServerCertificate, parsed.Configure) = (_ => default, (_, _) => true, _ => { });
        var options = new LdapPoolOptions();

        ConnectionStringSetup.Copy(parsed, options);

        Assert.All(
            typeof(LdapPoolOptions).GetProperties(BindingFlags.Public | BindingFlags.Instance),
            property => Assert.Equal(property.GetValue(parsed), property.GetValue(options)));
        Assert.All(
            typeof(LdapPoolOptions).GetProperties(BindingFlags.Public | BindingFlags.Instance),
            property => Assert.NotEqual(property.GetValue(new LdapPoolOptions()), property.GetValue(parsed)));
    }
}
