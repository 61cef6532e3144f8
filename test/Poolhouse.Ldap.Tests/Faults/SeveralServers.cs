using System.DirectoryServices.Protocols;
using Poolhouse.Ldap.Tests.Servers;
using Poolhouse.Testing;

namespace Poolhouse.Ldap.Tests.Faults;

/// <summary>Two real directories, of which one hangs or refuses.</summary>
public sealed class SeveralServers
{
    private const int Callers = 8;
    private const int Connections = 4;

    private static readonly TimeSpan _attempt = TimeSpan.FromMilliseconds(500);

    // Attempts on a server time out when a test says so: a healthy server may be slow on a busy machine.
    private readonly ManualTimeProvider _clock = new();

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task While_the_first_server_hangs_all_callers_are_served_by_the_second()
    {
        await using var first = await TestDirectory.StartAsync(DirectoryKind.OpenLdap);
        await using var second = await TestDirectory.StartAsync(DirectoryKind.OpenLdap);
        await using var pool = Pool(first, second);
        first.Freeze();
        try
        {
            var asking = Task.WhenAll(Enumerable.Range(0, Callers).Select(_ => pool.WhoAmIAsync(Token).AsTask()));
            await Patience.UntilAsync(() => _clock.ArmedTimers == Connections, "every connection is attempted on the first server");
            _clock.Advance(_attempt);
            var identities = await Patience.WithinAsync(asking);

            Assert.All(identities, identity => Assert.Equal(Entries.Identity, identity));
            Assert.Equal((0, ServerHealth.Up), (ItemsOn(pool, first), HealthOf(pool, second)));
            Assert.NotEqual(ServerHealth.Up, HealthOf(pool, first));
            Assert.Equal(0, pool.GetStatistics().CreateFailures);
        }
        finally
        {
            first.Thaw();
        }
    }

    [Fact]
    public async Task A_check_that_times_out_clears_the_other_idle_connections_to_the_server()
    {
        const int Idle = 8;
        const int Checks = 4;
        var (time, limit) = (new ManualTimeProvider(), TimeSpan.FromSeconds(1));
        await using var first = await TestDirectory.StartAsync(DirectoryKind.OpenLdap);
        await using var second = await TestDirectory.StartAsync(DirectoryKind.OpenLdap);
        await using var pool = Pool(first, second, options =>
        {
            // The pool is full: a connection that cannot be closed in time keeps its capacity until then.
            options.Pool.MaxSize = Idle;
            options.Pool.TimeProvider = time;
            options.Pool.ValidateTimeout = limit;
            (options.Pool.RentTimeout, options.OperationTimeout) = (Timeout.InfiniteTimeSpan, TimeSpan.FromHours(1));
            options.Pool.ValidateAfterIdle = TimeSpan.Zero;
        });
        await pool.WarmUpAsync(Idle, Token);
        await Patience.UntilAsync(() => pool.GetThreadStatistics().Leased == 0, "no thread is at work");
        Assert.Equal(Idle, ItemsOn(pool, first));
        first.Freeze();
        try
        {
            var asking = pool.WhoAmIAsync(Token).AsTask();

            // While a caller waits, another connection is checked each quarter of the limit, until the first check times out.
            for (var check = 1; check <= Checks; check++)
            {
                await Patience.UntilAsync(() => pool.GetThreadStatistics().Leased == check, "the next check has a thread");
                time.Advance(limit / Checks);
            }

            await Patience.UntilAsync(
                () => pool.GetStatistics().DestroyedFor(DestroyReason.ValidationFailed) > 0, "the first check has timed out");

            // The others are broken a moment later. With each step of time until then, one of them may be checked.
            var early = 0;
            await Patience.UntilAsync(
                () =>
                {
                    // The connections to the first server cannot be closed in time, and new ones cannot be opened.
                    early += pool.GetStatistics().Idle > 0 ? 1 : 0;
                    time.Advance(limit);
                    _clock.Advance(Of(pool, first).Creating > 0 ? _attempt : TimeSpan.Zero);
                    return asking.IsCompleted;
                },
                "the caller is served");
            Assert.Equal(Entries.Identity, await asking);

            // One more check is due at the moment when the first one times out, and may have begun.
            var destroyed = pool.GetStatistics();
            Assert.InRange(destroyed.DestroyedFor(DestroyReason.ValidationFailed), 1, Checks + 1 + early);
            Assert.InRange(destroyed.DestroyedFor(DestroyReason.Broken), 1, Idle);
            Assert.Equal(1, ItemsOn(pool, second));
        }
        finally
        {
            first.Thaw();
        }
    }

    [Fact]
    public async Task A_wrong_password_is_tried_once_on_each_server_and_is_no_failure_to_repeat()
    {
        await using var first = await TestDirectory.StartAsync(DirectoryKind.OpenLdap);
        await using var second = await TestDirectory.StartAsync(DirectoryKind.OpenLdap);
        await using var pool = Pool(first, second, options => (options.UserName, options.Password) = (Entries.Service, "wrong"));

        var failure =
            await Assert.ThrowsAnyAsync<Exception>(async () => await Patience.WithinAsync(pool.WhoAmIAsync(Token).AsTask()));

        Assert.Equal(49, Assert.IsType<LdapException>(failure as LdapException ?? failure.InnerException).ErrorCode);
        Assert.Equal(1, pool.GetStatistics().CreateFailures);
        Assert.All(pool.GetServerStatistics(), server => Assert.InRange(server.Failures, 0, 1));
    }

    [Fact]
    public async Task A_users_wrong_password_does_not_count_against_the_server()
    {
        await using var first = await TestDirectory.StartAsync(DirectoryKind.OpenLdap);
        await using var second = await TestDirectory.StartAsync(DirectoryKind.OpenLdap);
        await using var pool = Pool(first, second);

        for (var attempt = 0; attempt < 5; attempt++)
        {
            Assert.False(await pool.AuthenticateAsync(Entries.Ann, "not hers", Token));
        }

        Assert.True(await pool.AuthenticateAsync(Entries.Ann, Entries.AnnPassword, Token));
        Assert.All(pool.GetServerStatistics(), server => Assert.Equal((0L, ServerHealth.Up), (server.Failures, server.Health)));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_password_is_checked_on_another_server_if_the_first_one_is_unavailable(bool acceptsBinds)
    {
        await using var unavailable = new UnavailableServer(acceptsBinds);
        await using var healthy = InProcessDirectory.Start();
        await using var pool = healthy.Pool(options => options.Servers.Insert(0, unavailable.Address));

        Assert.True(await pool.AuthenticateAsync(Entries.Ann, Entries.AnnPassword, Token));

        var servers = pool.GetServerStatistics();
        Assert.Equal((0, 1), (servers[0].Items, servers[1].Items));
        Assert.NotEqual(ServerHealth.Up, servers[0].Health);
    }

    [Fact]
    public async Task The_service_uses_another_server_if_the_first_one_is_unavailable_after_the_bind()
    {
        await using var unavailable = new UnavailableServer(acceptsBinds: true);
        await using var healthy = InProcessDirectory.Start();
        await using var pool = healthy.Pool(options => options.Servers.Insert(0, unavailable.Address));

        Assert.Equal(Entries.Identity, await pool.WhoAmIAsync(Token));

        Assert.Equal((0, 1), (pool.GetServerStatistics()[0].Items, pool.GetStatistics().Created));
    }

    private LdapConnectionPool Pool(TestDirectory first, TestDirectory second, Action<LdapPoolOptions>? change = null) =>
        first.Pool(options =>
        {
            options.Servers.Add(second.Address);
            options.Pool.MaxSize = Connections;

            // Without a limit of its own, a creation sets no timer beside that of its attempt.
            options.Pool.CreateTimeout = options.VerifyPool.CreateTimeout = Timeout.InfiniteTimeSpan;
            options.ServerSet.AttemptTimeout = _attempt;
            options.ServerSet.TimeProvider = _clock;

            // Longer than a test: a server that failed is not tried again within it.
            options.ServerSet.RecheckDelay = options.ServerSet.MaxRecheckDelay = TimeSpan.FromDays(1);
            change?.Invoke(options);
        });

    private static int ItemsOn(LdapConnectionPool pool, TestDirectory directory) => Of(pool, directory).Items;

    private static ServerHealth HealthOf(LdapConnectionPool pool, TestDirectory directory) => Of(pool, directory).Health;

    private static ServerStatistics<LdapServer> Of(LdapConnectionPool pool, TestDirectory directory) =>
        pool.GetServerStatistics().Single(each => each.Server.Port == directory.Port);
}
