using Npgsql;
using Poolhouse.Data.Tests.Faults.Kinds;
using Poolhouse.Data.Tests.Servers;
using Poolhouse.Tool.Servers;

namespace Poolhouse.Data.Tests.Faults;

/// <summary>The server accepts no further session.</summary>
public sealed class ServerLimits(OwnServer own) : IClassFixture<OwnServer>
{
    private const int MaxSessions = 8;
    private const int Size = 4;

    [Theory]
    [MemberData(nameof(PoolApis.All), MemberType = typeof(PoolApis))]
    public async Task At_the_session_limit_existing_connections_keep_working_and_the_pool_grows_later(PoolApi api)
    {
        var server = await own.StartAsync(new TemporaryPostgresOptions { MaxConnections = MaxSessions });
        await using var user = new PoolUser(api, server.ConnectionString, PoolUser.Options(Size));
        await user.WarmUpAsync(2);
        await FillAsync(server, user, async () =>
        {
            // One more than available: the third waits for one of the two, or gets the error of the server.
            var heard = await Patience.WithinAsync(
                Task.WhenAll(Enumerable.Range(0, 6).Select(_ => user.RunAsync(() => user.TryAskNonceAsync()))));
            Assert.Contains(null, heard);
            Assert.All(heard, failure => Assert.True(failure is null || IsFull(failure), failure?.ToString()));
        });

        await using var watch = new ServerWatch(server.ConnectionString);
        await user.AssertRecoveredAsync(watch);
        await Patience.WithinAsync(GrowAsync(user));
        Assert.Equal(0, user.Errors);
        await user.AssertNothingLeakedAsync(watch);
    }

    [Theory]
    [MemberData(nameof(PoolApis.All), MemberType = typeof(PoolApis))]
    public async Task At_the_session_limit_an_empty_pool_gets_the_error_and_recovers_later(PoolApi api)
    {
        var server = await own.StartAsync(new TemporaryPostgresOptions { MaxConnections = MaxSessions });
        var options = PoolUser.Options(Size);
        options.RentTimeout = TimeSpan.FromMilliseconds(500);
        await using var user = new PoolUser(api, server.ConnectionString, options);
        await FillAsync(server, user, async () =>
        {
            // How soon the server answers depends on the machine; from its first refusal on, callers get it.
            await Patience.UntilAsync(
                async () =>
                {
                    await user.RunAsync(() => user.TryAskNonceAsync());
                    return user.Statistics.CreateFailures;
                },
                failures => failures > 0,
                "a refusal by the server");
            var heard = await Patience.WithinAsync(
                Task.WhenAll(Enumerable.Range(0, 3).Select(_ => user.RunAsync(() => user.TryAskNonceAsync()))));
            Assert.All(heard, failure => Assert.True(IsFull(failure!), failure?.ToString()));
            Assert.InRange(user.Statistics.CreateFailures, 1, 100);
        });

        await using var watch = new ServerWatch(server.ConnectionString);
        await user.AssertRecoveredAsync(watch);
    }

    private static bool IsFull(System.Data.Common.DbException failure) =>
        failure.IsTransient && string.Equals(failure.SqlState, PostgresErrorCodes.TooManyConnections, StringComparison.Ordinal);

    /// <summary>Rents all connections of the pool at once.</summary>
    private static async Task GrowAsync(PoolUser user)
    {
        using var meeting = new CountdownEvent(Size);
        var all = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await Task.WhenAll(Enumerable.Range(0, Size).Select(_ => user.RunAsync(async () =>
        {
            await using var session = await user.OpenAsync();
            if (meeting.Signal())
            {
                all.SetResult();
            }

            if (user.IsSynchronous)
            {
                meeting.Wait(Patience.Limit, CancellationToken.None);
            }
            else
            {
                await all.Task;
            }

            await user.AskNonceAsync(session);
        })));
    }

    /// <summary>Occupies the remaining sessions of the server, outside any pool, during an action.</summary>
    private static async Task FillAsync(TemporaryPostgres server, PoolUser user, Func<Task> whileFull)
    {
        var others = new List<NpgsqlConnection>();
        try
        {
            // A session that ended a moment ago, such as that of the server's start, may still count: the next attempt succeeds.
            await Patience.UntilAsync(
                async () =>
                {
                    await TryOccupyAsync();
                    return others.Count + user.Statistics.Live;
                },
                static sessions => sessions == MaxSessions,
                "a full server");
            await whileFull();
        }
        finally
        {
            foreach (var other in others)
            {
                await other.DisposeAsync();
            }
        }

        // A session that was closed counts until its process has ended.
        await Patience.UntilAsync(CountSessionsAsync, static sessions => sessions <= Size + 1, "the closed sessions have ended");

        async ValueTask<long> CountSessionsAsync()
        {
            try
            {
                await using var source = NpgsqlDataSource.Create(server.ConnectionString + ";Pooling=false");
                await using var count = source.CreateCommand(
                    "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'");
                return (long)(await count.ExecuteScalarAsync(TestContext.Current.CancellationToken))!;
            }
            catch (PostgresException full)
                when (string.Equals(full.SqlState, PostgresErrorCodes.TooManyConnections, StringComparison.Ordinal))
            {
                return MaxSessions;
            }
        }

        async Task TryOccupyAsync()
        {
            var other = new NpgsqlConnection(server.ConnectionString + ";Pooling=false");
            try
            {
                await other.OpenAsync(TestContext.Current.CancellationToken);
                others.Add(other);
            }
            catch (PostgresException full)
                when (string.Equals(full.SqlState, PostgresErrorCodes.TooManyConnections, StringComparison.Ordinal))
            {
                await other.DisposeAsync();
            }
        }
    }
}
