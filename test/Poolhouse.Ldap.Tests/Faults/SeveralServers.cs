using System.Diagnostics;
using System.DirectoryServices.Protocols;
using Poolhouse.Ldap.Tests.Servers;

namespace Poolhouse.Ldap.Tests.Faults;

/// <summary>Two real directories, of which one hangs or refuses.</summary>
public sealed class SeveralServers
{
    private const int Callers = 8;

    private static readonly TimeSpan _attempt = TimeSpan.FromMilliseconds(500);

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
            var identities = await Patience.WithinAsync(
                Task.WhenAll(Enumerable.Range(0, Callers).Select(_ => pool.WhoAmIAsync(Token).AsTask())));

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
    public async Task A_check_that_times_out_retires_the_other_idle_connections_to_the_server()
    {
        // So many that checks one after the other take longer than a busy machine delays one of them.
        const int Idle = 8;
        var limit = TimeSpan.FromSeconds(1);
        await using var first = await TestDirectory.StartAsync(DirectoryKind.OpenLdap);
        await using var second = await TestDirectory.StartAsync(DirectoryKind.OpenLdap);
        await using var pool = Pool(first, second, options =>
        {
            // The pool is full: a connection that cannot be closed in time keeps its capacity until then.
            options.Pool.MaxSize = Idle;
            options.Pool.DestroyTimeout = TimeSpan.FromMilliseconds(100);
            options.OperationTimeout = options.Pool.ValidateTimeout = limit;
            options.Pool.ValidateAfterIdle = TimeSpan.Zero;
        });
        await pool.WarmUpAsync(Idle, Token);
        Assert.Equal(Idle, ItemsOn(pool, first));
        first.Freeze();
        try
        {
            var watch = Stopwatch.StartNew();
            Assert.Equal(Entries.Identity, await Patience.WithinAsync(pool.WhoAmIAsync(Token).AsTask()));

            // One check, and perhaps one attempt, has timed out; eight checks one after the other take longer.
            Assert.InRange(watch.Elapsed, TimeSpan.Zero, limit * (Idle - 1));
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

    private static LdapConnectionPool Pool(TestDirectory first, TestDirectory second, Action<LdapPoolOptions>? change = null) =>
        first.Pool(options =>
        {
            options.Servers.Add(second.Address);
            options.ServerSet.AttemptTimeout = _attempt;

            // Longer than a test: a server that failed is not tried again within it.
            options.ServerSet.RecheckDelay = options.ServerSet.MaxRecheckDelay = TimeSpan.FromMinutes(10);
            change?.Invoke(options);
        });

    private static int ItemsOn(LdapConnectionPool pool, TestDirectory directory) => Of(pool, directory).Items;

    private static ServerHealth HealthOf(LdapConnectionPool pool, TestDirectory directory) => Of(pool, directory).Health;

    private static ServerStatistics<LdapServer> Of(LdapConnectionPool pool, TestDirectory directory) =>
        pool.GetServerStatistics().Single(each => each.Server.Port == directory.Port);
}
