using System.DirectoryServices.Protocols;
using System.Net;
using Poolhouse.Ldap.Tests.Servers;
using Poolhouse.Testing;

namespace Poolhouse.Ldap.Tests.Faults;

public sealed class Outages
{
    [Theory]
    [InlineData(DirectoryKind.InProcess)]
    [InlineData(DirectoryKind.OpenLdap)]
    public async Task After_a_restart_no_caller_gets_an_old_connection(DirectoryKind kind)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "sockets can be looked at on Linux only");
        const int Connections = 3;
        await using var directory = await TestDirectory.StartAsync(kind);
        await using var pool = directory.Pool(options => options.Pool.ValidateAfterIdle = Timeout.InfiniteTimeSpan);
        var token = TestContext.Current.CancellationToken;
        await pool.WarmUpAsync(Connections, token);
        await Patience.PauseAsync(50); // what was used just now is not looked at

        await directory.RestartAsync();
        for (var request = 0; request < Connections; request++)
        {
            Assert.Equal(
                ResultCode.Success, (await pool.SendAsync<SearchResponse>(DirectoryRequests.AnnAlone, token)).ResultCode);
        }

        Assert.Equal(Connections, pool.GetStatistics().DestroyedFor(DestroyReason.Broken));
        Assert.Equal(Entries.Identity, await pool.WhoAmIAsync(token));
    }

    [Theory]
    [InlineData(DirectoryKind.InProcess)]
    [InlineData(DirectoryKind.OpenLdap)]
    public async Task After_a_restart_a_password_is_checked_as_before(DirectoryKind kind)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "sockets can be looked at on Linux only");
        await using var directory = await TestDirectory.StartAsync(kind);
        await using var pool = directory.Pool();
        var token = TestContext.Current.CancellationToken;
        Assert.True(await pool.AuthenticateAsync(Entries.Ann, Entries.AnnPassword, token));
        await Patience.PauseAsync(50);

        await directory.RestartAsync();

        Assert.True(await pool.AuthenticateAsync(Entries.Ann, Entries.AnnPassword, token));
        Assert.False(await pool.AuthenticateAsync(Entries.Ann, "not hers", token));
    }

    [Theory]
    [InlineData(DirectoryKind.InProcess)]
    [InlineData(DirectoryKind.OpenLdap)]
    public async Task A_restart_detected_by_a_request_fails_that_request_and_keeps_the_identity(DirectoryKind kind)
    {
        await using var directory = await TestDirectory.StartAsync(kind);
        await using var pool = directory.Pool(options => options.Pool.ValidateAfterIdle = Timeout.InfiniteTimeSpan);
        var token = TestContext.Current.CancellationToken;
        await pool.WarmUpAsync(2, token);
        using (var inUse = await pool.RentAsync(token))
        {
            await directory.RestartAsync();

            Assert.Equal(81, Assert.Throws<LdapException>(() => inUse.Value.SendRequest(DirectoryRequests.AnnAlone)).ErrorCode);
        }

        for (var request = 0; request < 4; request++)
        {
            Assert.Equal(
                ResultCode.Success, (await pool.SendAsync<SearchResponse>(DirectoryRequests.AnnAlone, token)).ResultCode);
        }

        Assert.Equal(Entries.Identity, await pool.WhoAmIAsync(token));
    }

    [Theory]
    [InlineData(DirectoryKind.InProcess)]
    [InlineData(DirectoryKind.OpenLdap)]
    public async Task Callers_wait_out_an_outage(DirectoryKind kind)
    {
        // How long a server takes to start depends on the machine.
        await using var directory = await TestDirectory.StartAsync(kind);
        await using var pool = directory.Pool(options => options.Pool.OutageTimeout = Timeout.InfiniteTimeSpan);
        await directory.StopAsync();

        var waiting = pool.WhoAmIAsync(TestContext.Current.CancellationToken).AsTask();
        await Patience.UntilAsync(() => pool.GetStatistics().CreateFailures > 0, "the server cannot be reached");
        var early = waiting.IsCompleted;
        await directory.StartAgainAsync();

        Assert.Equal((false, Entries.Identity), (early, await Patience.WithinAsync(waiting)));
    }

    [Theory]
    [InlineData(DirectoryKind.InProcess)]
    [InlineData(DirectoryKind.OpenLdap)]
    public async Task A_connection_the_server_closed_while_idle_is_detected_before_it_is_rented(DirectoryKind kind)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "sockets can be looked at on Linux only");
        var (clock, limit) = (new ManualTimeProvider(), TimeSpan.FromSeconds(1));
        await using var directory = await TestDirectory.StartAsync(kind, idleTimeout: limit, time: clock);
        await using var pool = directory.Pool(options => SetTime(options, kind == DirectoryKind.InProcess ? clock : null));
        var token = TestContext.Current.CancellationToken;
        var losses = await LossesBeforeSuccessAsync(async () => await pool.WhoAmIAsync(token));

        // The server sets its timer again a moment after the answer: an advance that comes too early moves its end.
        await Patience.UntilAsync(
            () =>
            {
                clock.Advance(limit);
                return OpenConnections.To(directory.Port) == 0;
            },
            "the server closes the idle connection");

        losses += await LossesBeforeSuccessAsync(async () => Assert.Equal(
            ResultCode.Success, (await pool.SendAsync<SearchResponse>(DirectoryRequests.AnnAlone, token)).ResultCode));
        Assert.Equal(1 + losses, pool.GetStatistics().DestroyedFor(DestroyReason.Broken));
    }

    [Fact]
    public async Task A_connection_closed_after_an_unread_notice_is_detected_before_it_is_rented()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "sockets can be looked at on Linux only");
        var (clock, limit) = (new ManualTimeProvider(), TimeSpan.FromSeconds(1));
        await using var directory = InProcessDirectory.Start(idleTimeout: limit, time: clock);
        directory.Server.Faults.IdleNotice = true;
        await using var pool = directory.Pool(options => SetTime(options, clock));
        var token = TestContext.Current.CancellationToken;
        await pool.WhoAmIAsync(token);

        await Patience.UntilAsync(
            () =>
            {
                clock.Advance(limit);
                return directory.Server.Connections == 0;
            },
            "the server closes the idle connection");

        await pool.SendAsync<SearchResponse>(DirectoryRequests.AnnAlone, token);
        Assert.Equal(1, pool.GetStatistics().DestroyedFor(DestroyReason.Broken));
    }

    [Fact]
    public async Task Keep_alives_prevent_the_server_from_closing_a_connection()
    {
        var clock = new ManualTimeProvider();
        await using var directory = InProcessDirectory.Start(idleTimeout: TimeSpan.FromSeconds(3), time: clock);
        await using var pool = directory.Pool(options =>
        {
            options.Pool.KeepAliveInterval = TimeSpan.FromSeconds(1);
            options.Pool.TimeProvider = options.VerifyPool.TimeProvider = options.ServerSet.TimeProvider = clock;
        });
        await pool.WhoAmIAsync(TestContext.Current.CancellationToken);

        for (var second = 1; second <= 5; second++)
        {
            // The server sets its timer again a moment after the answer, but before it serves the next operation.
            var before = directory.Server.OperationCount;
            clock.Advance(TimeSpan.FromSeconds(1));
            await Patience.UntilAsync(
                () =>
                {
                    // The pool may set its timer after its caller has gone on; one that is set late fires at the next advance.
                    clock.Advance(TimeSpan.Zero);
                    return directory.Server.OperationCount > before && pool.GetStatistics().Idle == 1;
                },
                "a keep-alive has ended");
        }

        Assert.Equal((1, 1, 0), (pool.GetStatistics().Live, pool.GetStatistics().Created, pool.GetStatistics().Destroyed));
        Assert.Equal(1, directory.Server.Connections);
    }

    [Fact]
    public async Task A_connection_bound_as_another_identity_fails_its_validation()
    {
        await using var directory = InProcessDirectory.Start();
        await using var pool =
            directory.Pool(options => (options.Pool.MaxSize, options.Pool.ValidateAfterIdle) = (1, TimeSpan.Zero));
        using (var lease = await pool.RentAsync(TestContext.Current.CancellationToken))
        {
            lease.Value.Identity = "dn:cn=somebody else";
        }

        using var next = await pool.RentAsync(TestContext.Current.CancellationToken);

        Assert.Equal(
            (Entries.Identity, 1), (next.Value.WhoAmI(), pool.GetStatistics().DestroyedFor(DestroyReason.ValidationFailed)));
    }

    [Theory]
    [InlineData(DirectoryKind.InProcess)]
    [InlineData(DirectoryKind.OpenLdap)]
    public async Task A_wrong_service_password_fails_at_once_and_a_corrected_one_is_used(DirectoryKind kind)
    {
        await using var directory = await TestDirectory.StartAsync(kind);
        var password = "wrong";
        await using var pool = directory.Pool(options =>
        {
            (options.UserName, options.Password) = (null, null);
            options.Credentials = _ => new ValueTask<NetworkCredential>(new NetworkCredential(Entries.Service, password));
        });
        var token = TestContext.Current.CancellationToken;

        var failure =
            await Assert.ThrowsAsync<LdapException>(async () => await Patience.WithinAsync(pool.WhoAmIAsync(token).AsTask()));
        password = Entries.ServicePassword;

        Assert.Equal(49, failure.ErrorCode);
        await Patience.UntilAsync(
            async () => await Record.ExceptionAsync(async () => await pool.WhoAmIAsync(token)) is null, static works => works,
            "the corrected password is used");
    }

    [Theory]
    [InlineData(DirectoryKind.InProcess)]
    [InlineData(DirectoryKind.OpenLdap)]
    public async Task A_rotated_password_is_used_for_new_connections_and_replaces_the_old_ones(DirectoryKind kind)
    {
        const string Rotated = "another-Passw0rd";
        await using var directory = await TestDirectory.StartAsync(kind);
        var password = Entries.ServicePassword;
        await using var pool = directory.Pool(options =>
        {
            (options.UserName, options.Password, options.CredentialSpread) = (null, null, TimeSpan.Zero);
            options.Credentials = _ => new ValueTask<NetworkCredential>(new NetworkCredential(Entries.Service, password));
        });
        var token = TestContext.Current.CancellationToken;
        using var old = await pool.RentAsync(token);

        await directory.SetPasswordAsync(Entries.Service, Rotated);
        password = Rotated;
        using (var fresh = await pool.RentAsync(token))
        {
            Assert.Equal(Entries.Identity, fresh.Value.WhoAmI());
        }

        await old.DisposeAsync();
        await Patience.UntilAsync(
            () => pool.GetStatistics().DestroyedFor(DestroyReason.Cleared) >= 1, "the old connection is replaced");
        Assert.Equal(Entries.Identity, await pool.WhoAmIAsync(token));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(60)]
    public async Task A_connection_that_is_bound_with_a_new_credential_serves_its_caller(int spread)
    {
        await using var directory = await TestDirectory.StartAsync(DirectoryKind.InProcess);
        var calls = 0;
        await using var pool = directory.Pool(options =>
        {
            (options.UserName, options.Password, options.CredentialSpread) = (null, null, TimeSpan.FromSeconds(spread));

            // Names are compared ignoring case, and by the pool as they are: each is another credential.
            options.Credentials = _ => new ValueTask<NetworkCredential>(new NetworkCredential(
                Interlocked.Increment(ref calls) % 2 == 0 ? Entries.Service : Entries.Service.ToUpperInvariant(),
                Entries.ServicePassword));
        });
        var token = TestContext.Current.CancellationToken;
        using var first = await pool.RentAsync(token);
        using var second = await pool.RentAsync(token);

        Assert.Equal((2, 0L), (calls, pool.GetStatistics().Destroyed));
    }

    [Fact]
    public async Task While_the_first_of_two_servers_is_down_the_second_is_used_and_later_the_first_again()
    {
        await using var first = InProcessDirectory.Start();
        await using var second = InProcessDirectory.Start();
        await first.StopAsync();
        await using var pool = new LdapConnectionPool(first.Options(options =>
        {
            options.Servers.Add(second.Address);
            options.ServerSet.RecheckDelay = options.ServerSet.MaxRecheckDelay = TimeSpan.FromMilliseconds(200);
            options.ServerSet.FailBackAge = TimeSpan.FromMilliseconds(200);
        }));
        var token = TestContext.Current.CancellationToken;

        async Task<int> PortAsync()
        {
            using var lease = await pool.RentAsync(token);
            return lease.Value.Server.Port;
        }

        Assert.Equal(second.Port, await PortAsync());
        await first.StartAgainAsync();
        await Patience.UntilAsync(PortAsync, port => port == first.Port, "the first server serves again");
        Assert.Equal([first.Port, second.Port], pool.GetServerStatistics().Select(server => server.Server.Port));

        // The connection to the second server worked.
        var statistics = pool.GetStatistics();
        Assert.Equal((1, 0), (statistics.DestroyedFor(DestroyReason.Expired), statistics.DestroyedFor(DestroyReason.Broken)));
    }

    [Fact]
    public async Task The_list_of_servers_can_be_replaced()
    {
        await using var first = InProcessDirectory.Start();
        await using var second = InProcessDirectory.Start();
        await using var pool = first.Pool();
        await pool.WhoAmIAsync(TestContext.Current.CancellationToken);

        pool.ReplaceServers([second.Address]);
        using var lease = await pool.RentAsync(TestContext.Current.CancellationToken);

        Assert.Equal(second.Port, lease.Value.Server.Port);
        Assert.Throws<ArgumentException>(() => pool.ReplaceServers([]));
        Assert.Throws<ArgumentException>(() => pool.ReplaceServers(["ldaps://elsewhere"]));
    }

    /// <summary>
    /// For a pool whose connections only their server closes. On the clock of the server, a connection was not used just now
    /// when the server closes it.
    /// </summary>
    private static void SetTime(LdapPoolOptions options, ManualTimeProvider? clock)
    {
        options.Pool.TimeProvider = clock ?? TimeProvider.System;
        options.Pool.ValidateAfterIdle = options.Pool.IdleTimeout = options.Pool.MaxLifetime = Timeout.InfiniteTimeSpan;
    }

    /// <summary>
    /// Sends a request until it succeeds. On a busy machine, OpenLDAP may close a connection as idle just before its first
    /// request: each such loss destroys one connection.
    /// </summary>
    private static async Task<int> LossesBeforeSuccessAsync(Func<Task> request)
    {
        for (var losses = 0; ; losses++)
        {
            try
            {
                await request();
                return losses;
            }
            catch (LdapException lost) when (lost.ErrorCode == 81 && losses < 10)
            {
                // The next attempt gets another connection.
            }
        }
    }
}
