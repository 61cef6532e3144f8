using Npgsql;
using Poolhouse.Data.Tests.Faults.Kinds;
using Poolhouse.Data.Tests.Servers;

namespace Poolhouse.Data.Tests.Faults;

/// <summary>The server ends sessions that were idle for too long (<c>idle_session_timeout</c>).</summary>
public sealed class IdleSessions(PostgresServer server)
{
    private const int Size = 3;

    [Theory]
    [MemberData(nameof(PoolApis.All), MemberType = typeof(PoolApis))]
    public async Task Without_validation_each_idle_session_causes_one_error(PoolApi api)
    {
        await using var watch = new ServerWatch(await server.GetConnectionStringAsync());
        await using var user = await WarmAndForgetAsync(api, Timeout.InfiniteTimeSpan, watch);

        for (var i = 0; i < Size; i++)
        {
            Assert.Equal("57P05", (await Patience.WithinAsync(user.RunAsync(() => user.TryAskNonceAsync())))?.SqlState);
        }

        // New sessions have the same time limit, so this precedes the recovery.
        Assert.Equal(Size, user.Errors);
        await user.AssertRecoveredAsync(watch);
    }

    [Theory]
    [MemberData(nameof(PoolApis.All), MemberType = typeof(PoolApis))]
    public async Task With_validation_idle_sessions_cause_no_error(PoolApi api)
    {
        await using var watch = new ServerWatch(await server.GetConnectionStringAsync());
        await using var user = await WarmAndForgetAsync(api, TimeSpan.Zero, watch);

        for (var i = 0; i < Size; i++)
        {
            await Patience.WithinAsync(user.RunAsync(() => user.AskNonceAsync()));
        }

        Assert.Equal(0, user.Errors);
        await user.AssertRecoveredAsync(watch);
    }

    // The time is a setting of the database, so that a reset restores it. Sessions that begin later have none.
    private async Task<PoolUser> WarmAndForgetAsync(PoolApi api, TimeSpan validateAfterIdle, ServerWatch watch)
    {
        var options = PoolUser.Options(Size);
        options.ValidateAfterIdle = validateAfterIdle;
        var connectionString = await server.CreateDatabaseAsync();
        await using var administrator = NpgsqlDataSource.Create(await server.GetConnectionStringAsync() + ";Pooling=false");
        var database = new NpgsqlConnectionStringBuilder(connectionString).Database;
        await SetAsync("SET idle_session_timeout = 1500");
        var user = new PoolUser(api, connectionString, options);
        await user.WarmUpAsync(Size);
        await SetAsync("RESET idle_session_timeout");
        await Patience.UntilAsync(
            () => watch.CountAsync(user.SessionName), count => count == 0, "the server ended the idle sessions");
        return user;

        async Task SetAsync(string setting)
        {
            await using var command = administrator.CreateCommand($"ALTER DATABASE {database} {setting}");
            await command.ExecuteNonQueryAsync(TestContext.Current.CancellationToken);
        }
    }
}
