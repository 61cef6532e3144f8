using System.DirectoryServices.Protocols;
using Poolhouse.Ldap.Internal;
using Poolhouse.Ldap.Internal.Native;
using Poolhouse.Ldap.Internal.Servers;
using Poolhouse.Ldap.Tests.Servers;
using Poolhouse.Testing;

namespace Poolhouse.Ldap.Tests.Dns;

/// <summary>What <see cref="ServersFromDns"/> runs, each in a process of its own.</summary>
public sealed class DnsScenarios : IAsyncDisposable
{
    /// <summary>A name whose address is known although DNS is down.</summary>
    public const string NameWithoutDns = "known";

    private static readonly TimeSpan _interval = TimeSpan.FromHours(1);

    private readonly ManualTimeProvider _clock = new();
    private readonly DnsServer _dns = new();
    private readonly InProcessDirectory _first = InProcessDirectory.Start();
    private readonly InProcessDirectory _second = InProcessDirectory.Start();

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    public async ValueTask DisposeAsync()
    {
        await _dns.DisposeAsync();
        await _first.DisposeAsync();
        await _second.DisposeAsync();
    }

    [Fact(Explicit = true)]
    public async Task The_server_of_the_lowest_priority_is_used_and_the_next_when_it_is_down()
    {
        await _dns.ServeAsync(("beta", _second.Port, 20), ("alpha", _first.Port, 10));
        await using var pool = Pool();
        Assert.Empty(pool.GetServerStatistics());

        Assert.Equal(Entries.Identity, await pool.WhoAmIAsync(Token));
        Assert.True(await pool.AuthenticateAsync(Entries.Ann, Entries.AnnPassword, Token));
        Assert.Equal(_first.Port, await PortAsync(pool));
        await _first.StopAsync();
        pool.Clear();

        Assert.Equal(_second.Port, await PortAsync(pool));
        Assert.Equal(
            [new LdapServer("alpha.example.test", _first.Port), new LdapServer("beta.example.test", _second.Port)],
            pool.GetServerStatistics().Select(each => each.Server));
    }

    [Fact(Explicit = true)]
    public async Task Servers_that_join_and_leave_DNS_are_followed_when_the_interval_is_over()
    {
        await _dns.ServeAsync(("alpha", _first.Port, 10));
        await using var pool = Pool(onManualClock: true);
        Assert.Equal(_first.Port, await PortAsync(pool));

        await _dns.ServeAsync(("beta", _second.Port, 10));
        pool.Clear();
        Assert.Equal((_first.Port, 1), (await PortAsync(pool), _dns.Queries));
        _clock.Advance(_interval);
        pool.Clear();
        await PortAsync(pool);

        await Patience.UntilAsync(
            () => PortAsync(pool), port => port == _second.Port,
            "the new server is used, although there is a connection to the old one");
        Assert.Equal((2, "beta.example.test"), (_dns.Queries, pool.GetServerStatistics()[0].Server.Host));
    }

    [Fact(Explicit = true)]
    public async Task Many_creations_query_DNS_once_per_interval()
    {
        await _dns.ServeAsync(("alpha", _first.Port, 10), ("beta", _second.Port, 10), ("gamma", _second.Port, 10));
        await using var pool = Pool(onManualClock: true);

        async Task<int> CreateManyAsync()
        {
            for (var round = 0; round < 10; round++)
            {
                var leases = await Task.WhenAll(Enumerable.Range(0, 4).Select(_ => pool.RentAsync(Token).AsTask()));
                Array.ForEach(leases, static lease => lease.Discard());
            }

            return _dns.Queries;
        }

        Assert.Equal(1, await CreateManyAsync());
        var order = pool.GetServerStatistics().Select(each => each.Server).ToList();
        for (var hour = 1; hour <= 5; hour++)
        {
            _clock.Advance(_interval);
            await CreateManyAsync();
            await Patience.UntilAsync(
                () => pool.GetThreadStatistics().Leased == 0 && _dns.Queries == hour + 1, "DNS has answered");
            Assert.Equal(order, pool.GetServerStatistics().Select(each => each.Server));
        }

        Assert.Equal((6, 6), (await CreateManyAsync(), _dns.Queries));
    }

    [Fact(Explicit = true)]
    public async Task The_library_shuffles_records_of_equal_priority_and_keeps_the_reason_of_a_failure()
    {
        await _dns.ServeAsync(("alpha", 1, 10), ("beta", 2, 10), ("gamma", 3, 10), ("delta", 4, 20));
        var answers = Enumerable.Range(0, 30).Select(_ => Libldap.QueryDns("example.test")).ToList();

        Assert.All(answers, answer => Assert.EndsWith(" delta.example.test:4", answer.Hosts, StringComparison.Ordinal));
        Assert.InRange(answers.Distinct().Count(), 2, 6);
        Assert.Equal(
            [(null, 1), (null, 4), (null, 0)],
            ((string[])["nowhere.test", DnsServer.DomainWithOtherRecords, DnsServer.DomainWithoutService])
                .Select(Libldap.QueryDns)
                .Select(answer => (answer.Hosts, answer.Code)));
        await _dns.StopAsync();
        Assert.Equal(new DnsAnswer(null, 2), Libldap.QueryDns("example.test"));
    }

    [Fact(Explicit = true)]
    public async Task A_domain_without_servers_fails_at_once()
    {
        await _dns.ServeAsync();
        await using var pool = Pool();

        var failure = await Assert.ThrowsAsync<LdapException>(() => Patience.WithinAsync(pool.WhoAmIAsync(Token).AsTask()));

        Assert.Equal(94, failure.ErrorCode);
        Assert.Contains("DNS has no SRV records _ldap._tcp.example.test", failure.Message, StringComparison.Ordinal);
        await _dns.ServeAsync(("alpha", _first.Port, 10));
        await Patience.UntilAsync(
            async () => await Record.ExceptionAsync(async () => await pool.WhoAmIAsync(Token)) is null, static works => works,
            "records that were made meanwhile are found");
    }

    [Fact(Explicit = true)]
    public async Task Callers_wait_until_DNS_is_up()
    {
        await using var pool = Pool();
        await using var hasty = Pool(options => options.Pool.OutageTimeout = TimeSpan.Zero);
        var refusal = await Assert.ThrowsAsync<PoolUnavailableException>(
            () => Patience.WithinAsync(hasty.WhoAmIAsync(Token).AsTask()));
        var failure = Assert.IsType<LdapException>(refusal.InnerException);
        Assert.Equal(81, failure.ErrorCode);
        Assert.Contains(
            "_ldap._tcp.example.test failed: the name servers do not answer", failure.Message, StringComparison.Ordinal);

        var waiting = pool.WhoAmIAsync(Token).AsTask();
        await Patience.UntilAsync(() => pool.GetStatistics().CreateFailures > 1, "DNS does not answer");
        var early = waiting.IsCompleted;
        await _dns.ServeAsync(("alpha", _first.Port, 10));

        Assert.Equal((false, Entries.Identity), (early, await Patience.WithinAsync(waiting)));
    }

    [Fact(Explicit = true)]
    public async Task Without_DNS_the_pool_keeps_using_the_known_servers()
    {
        await _dns.ServeAsync((NameWithoutDns, _first.Port, 10));
        await using var pool = Pool(onManualClock: true);
        Assert.Equal(_first.Port, await PortAsync(pool));

        await _dns.StopAsync();
        _clock.Advance(_interval);
        pool.Clear();
        var asked = pool.GetThreadStatistics().Rented;
        Assert.Equal(Entries.Identity, await pool.WhoAmIAsync(Token));
        await Patience.UntilAsync(
            () => pool.GetThreadStatistics() is { Leased: 0, Waiting: 0 } now && now.Rented > asked + 2,
            "DNS was asked, beside the opening and the question");
        pool.Clear();

        Assert.Equal((_first.Port, 1), (await PortAsync(pool), pool.GetServerStatistics().Count));
    }

    [Fact(Explicit = true)]
    public async Task When_no_server_can_be_reached_DNS_is_queried_before_the_interval_ends()
    {
        await _dns.ServeAsync(("alpha", _first.Port, 10));
        await using var pool = Pool(options => options.ServerSet.RecheckDelay = TimeSpan.FromMilliseconds(500));
        Assert.Equal(_first.Port, await PortAsync(pool));

        await _dns.ServeAsync(("beta", _second.Port, 10));
        await _first.StopAsync();
        pool.Clear();

        Assert.Equal(Entries.Identity, await Patience.WithinAsync(pool.WhoAmIAsync(Token).AsTask()));
        Assert.Equal(_second.Port, await PortAsync(pool));
    }

    [Fact(Explicit = true)]
    public async Task StartTLS_requires_a_certificate_for_the_name_in_the_record()
    {
        using var authority = new PrivateAuthority("alpha.example.test");
        await using var secure = InProcessDirectory.Start(tls: authority.Files);
        await _dns.ServeAsync(("alpha", secure.Port, 10));
        await using var pool = Pool(SetTls);

        Assert.Equal(Entries.Identity, await pool.WhoAmIAsync(Token));
        Assert.All(secure.Server.GetConnections(), connection => Assert.True(connection.IsEncrypted));
        await _dns.ServeAsync(("beta", secure.Port, 10));
        await using var misled = Pool(SetTls);

        var refusal = await Assert.ThrowsAnyAsync<Exception>(async () => await misled.WhoAmIAsync(Token));
        Assert.IsType<DirectoryException>(refusal.InnerException ?? refusal, exactMatch: false);

        void SetTls(LdapPoolOptions options)
        {
            (options.Security, options.TrustedCertificatesDirectory) = (LdapSecurity.StartTls, authority.Trusted);
            options.Pool.OutageTimeout = TimeSpan.Zero;
        }
    }

    private LdapConnectionPool Pool(Action<LdapPoolOptions>? change = null, bool onManualClock = false) => _first.Pool(options =>
    {
        options.Servers.Clear();
        (options.DnsDomain, options.DnsRefreshInterval) = ("example.test", _interval);
        if (onManualClock)
        {
            options.Pool.TimeProvider = options.VerifyPool.TimeProvider = options.ServerSet.TimeProvider = _clock;
        }

        change?.Invoke(options);
    });

    private static async Task<int> PortAsync(LdapConnectionPool pool)
    {
        using var lease = await Patience.WithinAsync(pool.RentAsync(Token).AsTask());
        return lease.Value.Server.Port;
    }
}
