using System.Reflection;
using Poolhouse.Ldap;
using Poolhouse.Ldap.Extensions;

namespace Poolhouse.Extensions.Tests.Configuration;

public sealed class ConnectionStrings
{
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
