using System.DirectoryServices.Protocols;
using System.Net;

namespace Poolhouse.Ldap.Tests.Settings;

public sealed class Options
{
    private const string Secret = "t0p-Secret";

    public static TheoryData<string, Action<LdapPoolOptions>> Invalid => new()
    {
        { "Servers", options => options.Servers.Clear() },
        { "Servers", options => options.Servers.Add("two words") },
        { "Servers", options => options.Servers.Add("name:70000") },
        { "Servers", options => options.Servers.Add("one") },
        { "Servers", options => options.Servers.Add("ldaps://two") },
        { "Port", options => options.Port = 0 },
        { "Security", options => options.Security = (LdapSecurity)9 },
        { "Security", options => (options.Security, options.Port) = (LdapSecurity.StartTls, 636) },
        { "AuthType", options => options.AuthType = AuthType.Anonymous },
        { "UserName", options => options.UserName = " " },
        { "Password", options => options.Password = "" },
        { "Password", options => options.UserName = null },
        { "Credentials", options =>
            options.Credentials = _ => new ValueTask<NetworkCredential>(new NetworkCredential("a", "b")) },
        { "CredentialSpread", options => options.CredentialSpread = TimeSpan.FromDays(2) },
        { "ProtocolVersion", options => options.ProtocolVersion = 4 },
        { "OperationTimeout", options => options.OperationTimeout = TimeSpan.Zero },
        { "TrustedCertificatesDirectory", options => options.TrustedCertificatesDirectory = "/does/not/exist" },
        { "Validation", options => options.Validation = (LdapValidation)9 },
        { "Retries", options => options.Retries = (LdapRetries)4096 },
        { "Pool", options => options.Pool = null! },
        { "Pool.MaxSize", options => options.Pool.MaxSize = 0 },
        { "VerifyPool.RentTimeout", options => options.VerifyPool.RentTimeout = TimeSpan.FromSeconds(-5) },
        { "MaxBindsPerConnection", options => options.MaxBindsPerConnection = 0 },
        { "ServerSet.RecheckDelay", options => options.ServerSet.RecheckDelay = TimeSpan.Zero },
        { "Servers", options => options.DnsDomain = "example.test" },
        { "Port", options => (options.DnsDomain, options.Port) = ("example.test", 389) },
        { "Security", options => (options.DnsDomain, options.Security) = ("example.test", LdapSecurity.Ssl) },
        { "DnsDomain", options => options.DnsDomain = "" },
        { "DnsDomain", options => options.DnsDomain = "two words" },
        { "DnsDomain", options => options.DnsDomain = "ldap://example.test" },
        { "DnsDomain", options => options.DnsDomain = "example..test" },
        { "DnsDomain", options => options.DnsDomain = string.Join('.', Enumerable.Repeat("domain", 40)) },
        { "DnsRefreshInterval", options => options.DnsRefreshInterval = TimeSpan.Zero },
        { "DnsRefreshInterval", options => options.DnsRefreshInterval = TimeSpan.FromDays(2) },
        { "MaxThreads", options => options.MaxThreads = 0 },
        { "MaxStuckThreads", options => options.MaxStuckThreads = -1 },
    };

    [Theory]
    [MemberData(nameof(Invalid), DisableDiscoveryEnumeration = true)]
    public void An_invalid_setting_is_named_with_its_allowed_range_and_without_the_password(
        string setting, Action<LdapPoolOptions> change)
    {
        var options = Valid();
        change(options);

        var failure = Assert.Throws<ArgumentException>(() => new LdapConnectionPool(options));

        Assert.Contains($"{setting} is ", failure.Message, StringComparison.Ordinal);
        Assert.Contains("allowed: ", failure.Message, StringComparison.Ordinal);
        Assert.DoesNotContain(Secret, failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void All_invalid_settings_are_named_together()
    {
        var options = Valid();
        options.Port = -1;
        options.ProtocolVersion = 1;
        options.Pool.MaxSize = -2;

        var message = Assert.Throws<ArgumentException>(() => new LdapConnectionPool(options)).Message;

        Assert.All(
            ["Port is -1", "ProtocolVersion is 1", "Pool.MaxSize is -2"],
            part => Assert.Contains(part, message, StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("one", null, LdapSecurity.None, "one", 389)]
    [InlineData("one", null, LdapSecurity.Ssl, "one", 636)]
    [InlineData("one", 1389, LdapSecurity.StartTls, "one", 1389)]
    [InlineData("one:1390", 1389, LdapSecurity.None, "one", 1390)]
    [InlineData("ldap://one/", null, LdapSecurity.None, "one", 389)]
    [InlineData("ldaps://one", null, LdapSecurity.None, "one", 636)]
    [InlineData("ldaps://one:1636", null, LdapSecurity.None, "one", 1636)]
    [InlineData("[::1]:1391", null, LdapSecurity.None, "[::1]", 1391)]
    public void Server_addresses_are_parsed(string text, int? port, LdapSecurity security, string host, int expected)
    {
        var options = new LdapPoolOptions { Servers = { text }, Port = port, Security = security }.Freeze();

        Assert.Equal([new LdapServer(host, expected)], options.ServerList);
    }

    [Theory]
    [InlineData("one:636", null)]
    [InlineData("one:3269", null)]
    [InlineData("ldaps://one", null)]
    [InlineData("one", 636)]
    public void The_ports_of_ldaps_enable_it(string server, int? port) =>
        Assert.Equal(LdapSecurity.Ssl, new LdapPoolOptions { Servers = { server }, Port = port }.Freeze().Security);

    [Fact]
    public async Task A_pool_keeps_its_own_copy()
    {
        var options = Valid();
        await using var pool = new LdapConnectionPool(options);

        options.Pool.MaxSize = 1;
        options.Servers.Clear();

        Assert.Equal(50, pool.GetStatistics().MaxSize);
        Assert.Single(pool.GetServerStatistics());
    }

    [Fact]
    public async Task A_credential_without_a_password_does_not_bind_anonymously()
    {
        var options = new LdapPoolOptions
        {
            Servers = { "one" },
            Credentials = _ => new ValueTask<NetworkCredential>(new NetworkCredential("cn=app", "")),
        };
        options.Pool.OutageTimeout = TimeSpan.Zero;
        await using var pool = new LdapConnectionPool(options);

        await Assert.ThrowsAsync<InvalidOperationException>(
            async () => await pool.RentAsync(TestContext.Current.CancellationToken));
    }

    [Fact]
    public void The_builder_uses_the_names_of_LINQ_to_LDAP()
    {
        var builder = new LdapPoolBuilder("one", "two").AuthenticateBy(AuthType.Basic)
            .AuthenticateAs(new NetworkCredential("cn=app", Secret)).ProtocolVersion(3)
            .ConnectionTimeoutIn(TimeSpan.FromSeconds(12)).UseSsl(1636).ServerNameIsFullyQualified().MaxPoolSizeIs(7)
            .MinPoolSizeIs(2)
            .MaxConnectionAgeIs(TimeSpan.FromMinutes(9)).ConnectionIdleTimeIs(TimeSpan.FromSeconds(90));

        var options = builder.Options.Freeze();

        Assert.Equal([new LdapServer("one", 1636), new LdapServer("two", 1636)], options.ServerList);
        Assert.Equal(
            (LdapSecurity.Ssl, TimeSpan.FromSeconds(12), true, 7, 2, TimeSpan.FromMinutes(9), TimeSpan.FromSeconds(90)),
            (options.Security, options.OperationTimeout, options.ServerNameIsFullyQualified, options.Pool.MaxSize,
                options.Pool.MinIdle, options.Pool.MaxLifetime, options.VerifyPool.IdleTimeout));
        Assert.DoesNotContain(Secret, builder + options.ToString(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("example.test")]
    [InlineData("Paris._sites.dc._msdcs.example.test")]
    public async Task A_domain_stands_for_servers_not_yet_looked_up(string domain)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "on Windows the domain is named in Servers");
        var options = new LdapPoolBuilder().UseDnsDomain(domain).MaxPoolSizeIs(7).StartTls().Options;
        await using var pool = new LdapConnectionPool(options);

        Assert.Empty(pool.GetServerStatistics());
        Assert.Equal(7 + 10 + 1, options.Freeze().EffectiveMaxThreads);
        Assert.Throws<InvalidOperationException>(() => pool.ReplaceServers(["one"]));
    }

    [Fact]
    public void An_invalid_domain_is_not_shown()
    {
        var options = new LdapPoolOptions { DnsDomain = $"ldap://app:{Secret}@example.test" };

        Assert.DoesNotContain(
            Secret, Assert.Throws<ArgumentException>(() => new LdapConnectionPool(options)).Message, StringComparison.Ordinal);
    }

    private static LdapPoolOptions Valid() => new() { Servers = { "one" }, UserName = "cn=app", Password = Secret };
}
