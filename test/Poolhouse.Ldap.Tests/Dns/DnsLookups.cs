using System.DirectoryServices.Protocols;
using Poolhouse.Ldap.Internal;
using Poolhouse.Ldap.Internal.Servers;
using Poolhouse.Ldap.Tests.Servers;
using Poolhouse.Servers;
using Poolhouse.Testing;

namespace Poolhouse.Ldap.Tests.Dns;

/// <summary>When DNS is queried, which callers wait for it, and how its answers are applied.</summary>
public sealed class DnsLookups : IDisposable
{
    private static readonly TimeSpan _interval = TimeSpan.FromHours(1);
    private static readonly TimeSpan _recheckDelay = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan _createTimeout = TimeSpan.FromSeconds(15);
    private static readonly TimeSpan _moment = TimeSpan.FromMilliseconds(1);

    private readonly FakeDns _dns = new();
    private readonly ManualTimeProvider _clock = new();
    private readonly List<ManualResetEventSlim> _held = [];
    private readonly LdapThreads _threads;
    private readonly LdapServers _servers;

    public DnsLookups()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Windows looks up domains by itself");
        var options = new LdapPoolOptions { DnsDomain = "example.test", DnsRefreshInterval = _interval, QueryDns = _dns.Ask };
        options.Pool.CreateTimeout = _createTimeout;
        options.Pool.TimeProvider = options.VerifyPool.TimeProvider = options.ServerSet.TimeProvider = _clock;
        options.ServerSet.RecheckDelay = _recheckDelay;
        options.ServerSet.MaxRecheckDelay = TimeSpan.FromMinutes(2);
        options = options.Freeze();
        _threads = new LdapThreads(options);
        _servers = new LdapServers(options, _threads);
    }

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    public void Dispose()
    {
        _held.ForEach(static held => held.Set());
        _threads.Dispose();
    }

    [Fact]
    public async Task Concurrent_creations_wait_for_one_lookup()
    {
        var held = Hold();
        var waiting = Enumerable.Range(0, 8).Select(_ => _servers.GetAsync(Token).AsTask()).ToList();
        await AskedAsync(1);
        Assert.Empty(_servers.GetStatistics());
        Assert.All(waiting, each => Assert.False(each.IsCompleted));

        held.Set();

        Assert.Single((await Patience.WithinAsync(Task.WhenAll(waiting))).Distinct());
        Assert.Equal((1, "one two"), (_dns.Asked, Names()));
    }

    [Fact]
    public async Task Creations_from_many_threads_query_once_per_interval()
    {
        for (var round = 1; round <= 200; round++)
        {
            await Patience.WithinAsync(
                Task.WhenAll(Enumerable.Range(0, 4).Select(_ => Task.Run(async () => await _servers.GetAsync(Token), Token))));
            await AskedAsync(round);
            _clock.Advance(_interval);
        }
    }

    [Fact]
    public async Task A_blocking_creation_waits_for_the_first_lookup()
    {
        var held = Hold();
        var waiting = DirectoryRequests.OnThreadAsync(() => _servers.Get(Token));
        await AskedAsync(1);
        held.Set();

        Assert.Same(await _servers.GetAsync(Token), await Patience.WithinAsync(waiting));
    }

    [Theory]
    [InlineData(30)]
    [InlineData(null)]
    public async Task A_blocking_creation_with_a_timeout_of_many_days_waits_for_the_first_lookup(int? days)
    {
        _servers.Reconfigure(new ResourcePoolOptions
        {
            MaxSize = 1,
            CreateTimeout = days is { } limit ? TimeSpan.FromDays(limit) : Timeout.InfiniteTimeSpan,
        });
        var held = Hold();
        var waiting = DirectoryRequests.OnThreadAsync(() => _servers.Get(Token));
        await AskedAsync(1);
        held.Set();

        Assert.Same(await _servers.GetAsync(Token), await Patience.WithinAsync(waiting));
    }

    [Fact]
    public async Task A_creation_stops_waiting_at_its_timeout()
    {
        using var deadline = new CancellationTokenSource();
        Hold();
        var waiting = _servers.GetAsync(deadline.Token).AsTask();
        var blocking = DirectoryRequests.OnThreadAsync(() => _servers.Get(deadline.Token));
        await AskedAsync(1);

        await deadline.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Patience.WithinAsync(waiting));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Patience.WithinAsync(blocking));
    }

    [Fact]
    public async Task The_old_list_is_used_while_DNS_is_queried()
    {
        var set = await GetAsync();
        _clock.Advance(_interval);
        var held = Hold();
        _dns.Hosts = "three:389";

        Assert.Same(set, await AtOnceAsync());
        await AskedAsync(2);
        Assert.Same(set, await AtOnceAsync());
        Assert.Equal("one two", Names());
        held.Set();

        await Patience.UntilAsync(() => Names() is "three", "the new list is there");
        Assert.Equal(2, _dns.Asked);
    }

    [Fact]
    public async Task DNS_is_not_queried_again_before_the_interval_ends()
    {
        await GetAsync();
        _clock.Advance(_interval - _moment);
        await AtOnceAsync();
        Assert.Equal((0L, 1), (Busy(), _dns.Asked));

        _clock.Advance(_moment);
        await AtOnceAsync();

        await AskedAsync(2);
    }

    [Fact]
    public async Task DNS_is_not_queried_without_creations()
    {
        await GetAsync();

        _clock.Advance(10 * _interval);

        Assert.Equal((0L, 1), (Busy(), _dns.Asked));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public async Task A_failed_refresh_keeps_the_list_and_is_repeated_after_the_recheck_delay(int code)
    {
        await GetAsync();
        (_dns.Hosts, _dns.Code) = (null, code);
        _clock.Advance(_interval);
        await AtOnceAsync();
        await AskedAsync(2);

        _clock.Advance(_recheckDelay - _moment);
        await AtOnceAsync();
        Assert.Equal((0L, 2, "one two"), (Busy(), _dns.Asked, Names()));
        _dns.Hosts = "three:389";
        _clock.Advance(_moment);
        await AtOnceAsync();

        await Patience.UntilAsync(() => Names() is "three", "the new list is there");
    }

    [Theory]
    [InlineData(0, 94, "no SRV records _ldap._tcp.example.test")]
    [InlineData(1, 94, "no SRV records _ldap._tcp.example.test")]
    [InlineData(4, 94, "no SRV records _ldap._tcp.example.test")]
    [InlineData(2, 81, "_ldap._tcp.example.test failed: the name servers do not answer")]
    [InlineData(3, 81, "_ldap._tcp.example.test failed: the name servers refuse")]
    [InlineData(-1, 81, "_ldap._tcp.example.test failed: the system does not say why")]
    public async Task A_failed_first_lookup_fails_its_waiters_and_the_next_creation_queries_again(
        int code, int error, string message)
    {
        (_dns.Hosts, _dns.Code) = (null, code);

        var failure = await Assert.ThrowsAsync<LdapException>(async () => await GetAsync());
        var blocking = await Assert.ThrowsAsync<LdapException>(
            () => Patience.WithinAsync(DirectoryRequests.OnThreadAsync(() => _servers.Get(Token))));

        Assert.Equal((error, error, 2), (failure.ErrorCode, blocking.ErrorCode, _dns.Asked));
        Assert.Contains(message, failure.Message, StringComparison.Ordinal);
        Assert.Equal(error == 94, LdapResults.IsPermanent(failure));
        _dns.Hosts = "one:389";
        await GetAsync();
        Assert.Equal("one", Names());
    }

    [Fact]
    public async Task While_DNS_names_the_same_servers_their_order_stays()
    {
        await GetAsync();

        await RefreshAsync("two:389 one:389");
        Assert.Equal("one two", Names());
        await RefreshAsync("three:389 two:389 one:389");
        Assert.Equal("three two one", Names());
        await RefreshAsync("two:390 three:389 one:389");
        Assert.Equal("two three one", Names());
    }

    [Fact]
    public async Task After_a_creation_reached_no_server_DNS_is_queried_again_at_most_once_per_recheck()
    {
        await GetAsync();
        _servers.ReportUnreachable();
        _clock.Advance(_recheckDelay - _moment);
        _servers.ReportUnreachable();
        await AtOnceAsync();
        Assert.Equal((0L, 1), (Busy(), _dns.Asked));

        _clock.Advance(_moment);
        await AtOnceAsync();
        await AskedAsync(2);

        _clock.Advance(_recheckDelay);
        await AtOnceAsync();
        Assert.Equal((0L, 2), (Busy(), _dns.Asked));
        _servers.ReportUnreachable();
        await AskedAsync(3);
    }

    [Fact]
    public async Task A_lookup_that_hangs_is_abandoned_and_its_late_answer_ignored()
    {
        var held = Hold();
        var waiting = _servers.GetAsync(Token).AsTask();
        await AskedAsync(1);
        _clock.Advance(_createTimeout);
        var failure = await Assert.ThrowsAsync<LdapException>(() => Patience.WithinAsync(waiting));
        Assert.Equal(81, failure.ErrorCode);
        Assert.Contains("no answer within CreateTimeout (00:00:15)", failure.Message, StringComparison.Ordinal);

        _dns.Answer();
        _dns.Hosts = "three:389";
        await GetAsync();
        held.Set();
        await Patience.UntilAsync(() => _threads.GetStatistics().AbandonedWorkers == 0, "the first look-up has ended");

        Assert.Equal(("three", 2), (Names(), _dns.Asked));
    }

    [Theory]
    [InlineData("One.Example.TEST:389 two:1389", "one.example.test:389 two:1389")]
    [InlineData("one:389 two:389 ONE:389 one:390", "one:389 two:389 one:390")]
    [InlineData("one.:389 .:0 :0 two:0 three:70000 four", "one:389")]
    public void Answers_of_DNS_are_parsed_into_servers(string hosts, string expected) =>
        Assert.Equal(
            expected, string.Join(
                ' ', SrvRecords.LookUp("example.test", _ => new DnsAnswer(hosts, 0))
                    .Select(server => $"{server.Host}:{server.Port}")));

    [Fact]
    public void A_record_with_an_empty_target_is_no_server() =>
        Assert.Equal(
            94, Assert.Throws<LdapException>(() => SrvRecords.LookUp("example.test", _ => new DnsAnswer(".:0", 0))).ErrorCode);

    // A test that fails must not leave a thread behind.
    private ManualResetEventSlim Hold()
    {
        var held = _dns.Hold();
        _held.Add(held);
        return held;
    }

    // The look-up has ended as well: its callers have their answer before that.
    private async Task<ServerSet<LdapServer>> GetAsync()
    {
        var set = await Patience.WithinAsync(_servers.GetAsync(Token).AsTask());
        await Patience.UntilAsync(() => Busy() == 0, "the look-up has ended");
        return set;
    }

    private ValueTask<ServerSet<LdapServer>> AtOnceAsync()
    {
        var set = _servers.GetAsync(Token);
        Assert.True(set.IsCompletedSuccessfully);
        return set;
    }

    private async Task RefreshAsync(string hosts)
    {
        var asked = _dns.Asked;
        _dns.Hosts = hosts;
        _clock.Advance(_interval);
        await AtOnceAsync();
        await AskedAsync(asked + 1);
    }

    // It has ended as well, unless it is held.
    private async Task AskedAsync(int times)
    {
        await Patience.UntilAsync(() => _dns.Asked >= times && (_dns.IsHeld || Busy() == 0), "DNS is asked");
        Assert.Equal(times, _dns.Asked);
    }

    private long Busy() => _threads.GetStatistics() is { Leased: var running, Waiting: var waiting } ? running + waiting : 0;

    private string Names() => string.Join(' ', _servers.GetStatistics().Select(each => each.Server.Host));
}
