using Poolhouse.Ldap.Tests.Dns;
using Poolhouse.Ldap.Tests.Servers;
using Poolhouse.Testing;

namespace Poolhouse.Ldap.Tests.Settings;

/// <summary>Settings of a pool that change while it exists. Nothing is opened here.</summary>
public sealed class Reconfiguration
{
    private const string Secret = "t0p-Secret";

    [Fact]
    public void The_sizes_of_both_pools_change_at_once()
    {
        using var pool = new LdapConnectionPool(Valid());
        var options = Valid();
        options.Pool.MaxSize = 7;
        options.VerifyPool.MaxSize = 3;

        pool.Reconfigure(options);

        Assert.Equal((7, 3), (pool.GetStatistics().MaxSize, pool.GetVerifyStatistics().MaxSize));
    }

    [Fact]
    public void Everything_that_is_wrong_is_named_at_once_without_secrets_and_nothing_changes()
    {
        using var pool = new LdapConnectionPool(Valid());
        var options = Valid();
        options.Servers.Add("two.invalid");
        options.Password = Secret + "2";
        options.Pool.MaxSize = 0;
        options.VerifyPool.Name = "other";
        options.MaxThreads = 3;

        var error = Assert.Throws<ArgumentException>(() => pool.Reconfigure(options));

        Assert.All(
            ["Servers is", "Password is", "Pool.MaxSize is 0", "VerifyPool.Name is \"other\"", "MaxThreads is 3"],
            part => Assert.Contains(part, error.Message, StringComparison.Ordinal));
        Assert.DoesNotContain(Secret, error.Message, StringComparison.Ordinal);
        Assert.Equal(50, pool.GetStatistics().MaxSize);
    }

    [Fact]
    public void A_domain_that_is_none_is_not_shown()
    {
        using var pool = new LdapConnectionPool(Valid());
        var options = Valid();
        options.DnsDomain = $"ldap://cn=app:{Secret}@one.invalid";

        var error = Assert.Throws<ArgumentException>(() => pool.Reconfigure(options));

        Assert.Contains(
            "DnsDomain is \"(not shown)\"; allowed: null, because it cannot be changed.", error.Message, StringComparison.Ordinal);
        Assert.DoesNotContain(Secret, error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_lookup_of_servers_has_the_time_that_a_creation_has_now()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Windows looks up domains by itself");
        var (dns, clock) = (new FakeDns { Hosts = "127.0.0.1:1" }, new ManualTimeProvider());
        var held = dns.Hold();
        await using var pool = new LdapConnectionPool(FromDns(TimeSpan.FromSeconds(15)));
        pool.Reconfigure(FromDns(TimeSpan.FromSeconds(2)));
        var renting = Record.ExceptionAsync(async () => await pool.RentAsync(TestContext.Current.CancellationToken));
        await Patience.UntilAsync(() => dns.Asked == 1, "DNS is asked");

        clock.Advance(TimeSpan.FromSeconds(2));

        try
        {
            await Patience.UntilAsync(
                () =>
                {
                    // DNS may be asked before the timer is set; one that is set late fires at the next advance.
                    clock.Advance(TimeSpan.Zero);
                    return pool.GetThreadStatistics().AbandonedWorkers == 1;
                },
                "the lookup is abandoned");
        }
        finally
        {
            held.Set();
            await pool.DisposeAsync();
        }

        await Patience.WithinAsync(renting.AsTask());

        LdapPoolOptions FromDns(TimeSpan createTimeout)
        {
            var options =
                new LdapPoolOptions { DnsDomain = "example.test", QueryDns = dns.Ask, UserName = "cn=app", Password = Secret };
            options.Pool.TimeProvider = options.VerifyPool.TimeProvider = options.ServerSet.TimeProvider = clock;
            options.Pool.CreateTimeout = createTimeout;
            return options;
        }
    }

    private static LdapPoolOptions Valid() => new() { Servers = { "one.invalid" }, UserName = "cn=app", Password = Secret };
}
