using MySqlConnector;
using Poolhouse.Data.Tests.Servers;
using Poolhouse.Testing;

namespace Poolhouse.Data.Tests.Faults.Kinds;

/// <summary>
/// Promises I15 and I19 on MariaDB, as <see cref="TerminatedBackends"/> and <see cref="LostConnections"/> check them on
/// PostgreSQL.
/// </summary>
public sealed class OnMariaDb(MariaDbServer server, OwnMariaDb own) : IClassFixture<OwnMariaDb>
{
    private const int Size = 3;

    /// <summary>Through two of the four APIs: the others use the same code, and are checked on PostgreSQL.</summary>
    public static TheoryData<string, PoolApi> Cuts => Through(ConnectionCuts.All);

    public static TheoryData<string, PoolApi> BusyCuts => Through(ConnectionCuts.OfBusy);

    [Theory]
    [MemberData(nameof(PoolApis.All), MemberType = typeof(PoolApis))]
    public async Task Killed_idle_sessions_cause_at_most_one_error_each(PoolApi api)
    {
        await using var watch = ServerKind.MariaDb.Watch(await server.GetConnectionStringAsync());
        await using var user = await WarmAsync(api, validate: false);

        Assert.Equal(Size, await watch.TerminateAsync(user.SessionName));

        for (var i = 0; i < 3 * Size; i++)
        {
            await Patience.WithinAsync(user.RunAsync(() => user.TryServeAsync()));
        }

        await user.AssertRecoveredAsync(watch);
        Assert.All(user.ErrorsOfSessions, session => Assert.Equal(1, session.Value));
        Assert.InRange(user.Errors, 1, Size);
    }

    [Theory]
    [MemberData(nameof(PoolApis.All), MemberType = typeof(PoolApis))]
    public async Task Killed_idle_sessions_cause_no_error_with_validation(PoolApi api)
    {
        await using var watch = ServerKind.MariaDb.Watch(await server.GetConnectionStringAsync());
        await using var user = await WarmAsync(api, validate: true);

        await watch.TerminateAsync(user.SessionName);

        await Patience.WithinAsync(
            Task.WhenAll(Enumerable.Range(0, 2 * Size).Select(_ => user.RunAsync(() => user.AskNonceAsync()))));
        Assert.Equal(0, user.Errors);
        await user.AssertRecoveredAsync(watch);
    }

    [Theory]
    [MemberData(nameof(PoolApis.All), MemberType = typeof(PoolApis))]
    public async Task Killed_busy_sessions_cause_one_error_each_and_later_callers_none(PoolApi api)
    {
        await using var watch = ServerKind.MariaDb.Watch(await server.GetConnectionStringAsync());
        await using var user = await WarmAsync(api, validate: false);
        var sleepers =
            Enumerable.Range(0, Size).Select(_ => user.RunAsync(() => user.QueryAsync(user.Kind.Sleep(seconds: 60)))).ToList();
        await Patience.UntilAsync(() => watch.CountBusyAsync(user.SessionName), busy => busy == Size, "all are busy");
        var next = Enumerable.Range(0, Size).Select(_ => user.RunAsync(() => user.AskNonceAsync())).ToList();
        await Patience.UntilAsync(
            () => new ValueTask<int>(user.Statistics.Waiting), waiting => waiting == Size, "the next callers wait");

        await watch.TerminateAsync(user.SessionName);

        foreach (var sleeper in sleepers)
        {
            Assert.True(PoolUser.IsFailure((await Record.ExceptionAsync(() => Patience.WithinAsync(sleeper)))!));
        }

        await Patience.WithinAsync(Task.WhenAll(next));
        Assert.Equal(Size, user.Errors);
        await user.AssertRecoveredAsync(watch);
    }

    [Theory]
    [MemberData(nameof(Cuts))]
    public async Task Lost_idle_connections_cause_at_most_one_error(string fault, PoolApi api)
    {
        await using var line = ProxiedServer.Start(ServerKind.MariaDb, await server.GetConnectionStringAsync());
        await using var user = await line.WarmAsync(api, Size, PoolUser.Options(Size));

        ConnectionCuts.Apply(fault, line.Proxy);

        await user.AssertRecoveredAsync(line.Watch);
        Assert.InRange(user.Errors, 0, 1);
    }

    [Theory]
    [MemberData(nameof(BusyCuts))]
    public async Task Lost_busy_connections_cause_one_error_each(string fault, PoolApi api)
    {
        await using var line = ProxiedServer.Start(ServerKind.MariaDb, await server.GetConnectionStringAsync());
        await using var user = await line.WarmAsync(api, Size, PoolUser.Options(Size));
        var failures = await ConnectionCuts.FailuresOfBusyAsync(line, user, Size, fault);

        Assert.All(failures, static failure => Assert.True(PoolUser.IsFailure(failure)));
    }

    [Fact]
    public async Task A_session_whose_command_timed_out_is_not_reused()
    {
        await using var source = PooledDataSource.Create(
            new MySqlDataSource(await server.GetConnectionStringAsync()), new DbPoolOptions { Pool = { MaxSize = 1 } });
        await using (var connection = await source.OpenConnectionAsync(TestContext.Current.CancellationToken))
        {
            await using var command = connection.CreateCommand();
            command.CommandText = "SELECT count(*) FROM information_schema.columns a, information_schema.columns b, " +
                "information_schema.columns c";
            command.CommandTimeout = 1;
            var failure = await Assert.ThrowsAsync<MySqlException>(
                () => command.ExecuteScalarAsync(TestContext.Current.CancellationToken));
            Assert.Equal(MySqlErrorCode.CommandTimeoutExpired, failure.ErrorCode);
        }

        await using var next = await source.OpenConnectionAsync(TestContext.Current.CancellationToken);
        Assert.Equal(1, source.GetStatistics().DestroyedFor(DestroyReason.Tainted));
    }

    [Theory]
    [InlineData(PoolApi.LeaseAsync, false)]
    [InlineData(PoolApi.SourceAsync, false)]
    [InlineData(PoolApi.SourceSync, true)]
    public async Task Under_load_a_restart_causes_at_most_one_error_on_each_connection(PoolApi api, bool immediately)
    {
        var restarted = await own.StartAsync();
        await using var watch = ServerKind.MariaDb.Watch(restarted.ConnectionString);
        await using var user = new PoolUser(api, ServerKind.MariaDb, restarted.ConnectionString, PoolUser.Options(Size));
        using var ended = new CancellationTokenSource();
        var served = new int[2 * Size];
        var callers = Enumerable.Range(0, served.Length).Select(caller => user.RunAsync(() => CallAsync(caller))).ToList();
        await Patience.UntilAsync(
            () => new ValueTask<int>(served.Min()), fewest => fewest > 2, "all callers are served before the restart");

        await restarted.StopAsync(immediately);
        await restarted.StartAgainAsync(TestContext.Current.CancellationToken);

        var before = (int[])served.Clone();
        await Patience.UntilAsync(
            () => new ValueTask<bool>(served.Zip(before).All(pair => pair.First > pair.Second)), all => all,
            "all callers are served after the restart");
        await ended.CancelAsync();
        await Patience.WithinAsync(Task.WhenAll(callers));
        Assert.InRange(user.Errors, 0, Size);
        await user.AssertRecoveredAsync(watch);

        async Task CallAsync(int caller)
        {
            while (!ended.IsCancellationRequested)
            {
                if (await user.TryServeAsync(CancellationToken.None))
                {
                    Interlocked.Increment(ref served[caller]);
                }
            }
        }
    }

    private static TheoryData<string, PoolApi> Through(IEnumerable<string> faults) => new(
        from fault in faults
        from api in (PoolApi[])[PoolApi.LeaseAsync, PoolApi.SourceSync]
        select (fault, api));

    private async Task<PoolUser> WarmAsync(PoolApi api, bool validate)
    {
        var options = PoolUser.Options(Size);
        options.ValidateAfterIdle = validate ? TimeSpan.Zero : Timeout.InfiniteTimeSpan;
        var user = new PoolUser(api, ServerKind.MariaDb, await server.GetConnectionStringAsync(), options);
        await user.WarmUpAsync(Size);
        return user;
    }
}
