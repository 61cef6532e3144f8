using Poolhouse.Servers;


namespace Poolhouse.Ldap.Tests.Settings;

public sealed class ConnectionStrings
{
    private const string Secret = "t0p;Secret=1";

    [Fact]
    public void Every_keyword_sets_its_option()
    {
        var options = LdapPoolOptions.Parse(
            $"""
             Server=one,two:1389; DNS Domain=example.test; DNS Refresh Interval=90; Port=390; Security=StartTls; Auth Type=Basic; User Name=cn=app,dc=example,dc=org; Password="{Secret}"; Protocol Version=3;
             Timeout=12.5; Connection Timeout=4; Rent Timeout=0; Max Pool Size=8; Min Pool Size=2; Max Verify Pool Size=3; Max Binds Per Connection=9;
             Connection Lifetime=600; Connection Idle Timeout=60; Keep Alive=30; Server Name Is Fully Qualified=true;
             Validation=RootDse; Retries=Search,Compare; Selection=RoundRobin; Name=people
             """);

        Assert.Equal(["one", "two:1389"], options.Servers);
        Assert.Equal(("example.test", TimeSpan.FromSeconds(90)), (options.DnsDomain, options.DnsRefreshInterval));
        Assert.Equal(
            (390, LdapSecurity.StartTls, "cn=app,dc=example,dc=org", Secret, true),
            (options.Port, options.Security, options.UserName, options.Password, options.ServerNameIsFullyQualified));
        Assert.Equal(
            (TimeSpan.FromSeconds(12.5), TimeSpan.FromSeconds(4), TimeSpan.Zero, 8, 2, 3, 9),
            (options.OperationTimeout, options.Pool.CreateTimeout, options.Pool.RentTimeout, options.Pool.MaxSize,
                options.Pool.MinIdle, options.VerifyPool.MaxSize, options.MaxBindsPerConnection));
        Assert.Equal(
            (TimeSpan.FromMinutes(10), TimeSpan.FromMinutes(1), TimeSpan.FromSeconds(30), "people"),
            (options.Pool.MaxLifetime, options.VerifyPool.IdleTimeout, options.Pool.KeepAliveInterval, options.Pool.Name));
        Assert.Equal(
            (LdapValidation.RootDse, LdapRetries.Search | LdapRetries.Compare, ServerSelection.RoundRobin),
            (options.Validation, options.Retries, options.ServerSet.Selection));
    }

    [Fact]
    public void A_string_that_is_applied_changes_only_what_it_contains()
    {
        var options = new LdapPoolOptions { Servers = { "old" }, Security = LdapSecurity.StartTls, MaxThreads = 3 };
        var (pool, verifyPool, serverSet) = (options.Pool, options.VerifyPool, options.ServerSet);
        pool.MaxSize = 4;

        options.Apply("Server=one; Servers=two; Rent Timeout=1; Selection=RoundRobin");

        Assert.Equal(["one", "two"], options.Servers);
        Assert.Equal((LdapSecurity.StartTls, 3, 4), (options.Security, options.MaxThreads, options.Pool.MaxSize));
        Assert.Equal(
            (TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(1), ServerSelection.RoundRobin),
            (options.Pool.RentTimeout, options.VerifyPool.RentTimeout, options.ServerSet.Selection));
        var unchanged = new LdapPoolOptions();
        Assert.Equal(
            (unchanged.Pool.RentTimeout, unchanged.VerifyPool.RentTimeout, unchanged.ServerSet.Selection),
            (pool.RentTimeout, verifyPool.RentTimeout, serverSet.Selection));

        options.Apply("Max Pool Size=5");

        Assert.Equal(["one", "two"], options.Servers);
        Assert.Equal(5, options.Pool.MaxSize);
    }

    [Fact]
    public void A_string_that_cannot_be_read_changes_nothing()
    {
        var options = new LdapPoolOptions { Servers = { "old" } };

        Assert.Throws<ArgumentException>(() => options.Apply("Server=one; Max Pool Size=7; Colour=blue"));
        Assert.Throws<ArgumentNullException>(() => options.Apply(null!));

        Assert.Equal(["old"], options.Servers);
        Assert.Equal(50, options.Pool.MaxSize);
    }

    [Theory]
    [InlineData("Server=one; Colour=blue", "'Colour' is not a keyword")]
    [InlineData("Server=one; Port=many", "allowed: 1 to 65,535")]
    [InlineData("Server=one; Security=Some", "allowed: None, Ssl, StartTls")]
    [InlineData("Server=one; Security=1", "allowed: None, Ssl, StartTls")]
    [InlineData("Server=one; Timeout=-1", "seconds")]
    [InlineData("Server=one; Server Name Is Fully Qualified=perhaps", "true or false")]
    [InlineData("Colour=blue; Port=0", "'Colour' is not a keyword. port has")]
    [InlineData("Server=one; Password=abc;def=1", "Keyword 3 is not a keyword (not shown: it may be part of a password")]
    [InlineData("Server=one Password=abc;def=1", "Keyword 2 is not a keyword (not shown: it may be part of a password")]
    [InlineData("no pairs at all", "is invalid")]
    public void Each_invalid_setting_is_named(string text, string part) =>
        Assert.Contains(
            part, Assert.Throws<ArgumentException>(() => LdapPoolOptions.Parse(text)).Message,
            StringComparison.OrdinalIgnoreCase);

    [Theory]
    [InlineData("Server=one; Password=t0p-Secret; Colour=blue")]
    [InlineData("Server=one; Passwort=t0p-Secret")]
    [InlineData("Server=one; Port=t0p-Secret")]
    [InlineData("Server=one; t0p-Secret%=1")]
    [InlineData("Server=one; Password=\"t0p-Secret")]
    [InlineData("Server=one; Password=abc;t0p-Secret=1")]
    [InlineData("Server=one; Password=abc;def=1;t0p-Secret=2")]
    [InlineData("Server=one; Passwort=abc;t0p-Secret=1")]
    [InlineData("Server=one; Password=abc;t0p-Secret=1;Server=two")]
    public void No_value_is_ever_shown(string text) =>
        Assert.DoesNotContain(
            "t0p-Secret", Assert.Throws<ArgumentException>(() => LdapPoolOptions.Parse(text)).ToString(),
            StringComparison.OrdinalIgnoreCase);
}
