using System.Reflection;
using Microsoft.Data.Sqlite;
using Microsoft.Extensions.DependencyInjection;
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
            new Func<object>[]
            {
                () => provider.GetRequiredKeyedService<LdapConnectionPool>("directory"),
                () => provider.GetRequiredKeyedService<PooledDataSource>("orders"),
                () => provider.GetRequiredKeyedService<DbConnectionPool<SqliteConnection>>("notes"),
            },
            resolve => Assert.StartsWith(
                "The connection string is null. If it comes from the configuration, check that ConnectionStrings contains its " +
                "name.",
                Assert.Throws<ArgumentNullException>(resolve).Message, StringComparison.Ordinal));
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
