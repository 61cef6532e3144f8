using System.Data.Common;
using MySqlConnector;
using Npgsql;
using Poolhouse.Data.Tests.Servers;
using Poolhouse.Tool.Servers;

namespace Poolhouse.Data.Tests.Faults;

/// <summary>
/// I33: the server has no room for another session of this user. This is no outage, and callers wait for a returned connection.
/// </summary>
public sealed class FullServers(OwnServer ownPostgres, OwnMariaDb ownMariaDb)
    : IClassFixture<OwnServer>, IClassFixture<OwnMariaDb>
{
    private const int Room = 2;
    private const int MaxConnections = 10;

    public static TheoryData<string> Limits => ["53300", "1040", "1203", "1226"];

    [Theory]
    [MemberData(nameof(Limits))]
    public async Task Callers_wait_in_arrival_order_for_a_returned_connection(string limit)
    {
        var (factory, connectionString) = await LimitAsync(limit);
        var options = new DbPoolOptions();
        (options.Pool.MaxSize, options.Pool.RentTimeout) = (MaxConnections + 2, Timeout.InfiniteTimeSpan);
        options.Pool.OutageTimeout = TimeSpan.Zero;
        await using var source = PooledDataSource.Create(factory, connectionString, options);
        var (held, first) = await OpenUntilFullAsync(source);
        var second = OpenAsync(source);
        var third = OpenAsync(source);

        var now = source.GetStatistics();
        Assert.Equal((3, false, null, PoolCondition.NoRoom), (now.Waiting, now.InOutage, now.Outage, now.Condition));
        Assert.True(held.Count >= Room, "Not all of the room is used.");

        foreach (var (waiting, next) in (List<(Task<DbConnection>, Task?)>)[(first, second), (second, third), (third, null)])
        {
            await held[0].DisposeAsync();
            held.RemoveAt(0);
            held.Add(await Patience.WithinAsync(waiting));
            Assert.NotEqual(true, next?.IsCompleted);
        }

        Assert.Null(source.GetStatistics().Outage);
        foreach (var connection in held)
        {
            await connection.DisposeAsync();
        }
    }

    [Theory]
    [MemberData(nameof(Limits))]
    public async Task A_caller_that_times_out_is_told_of_the_limit_and_of_the_sessions_of_the_pool(string limit)
    {
        var (factory, connectionString) = await LimitAsync(limit);
        var options = new DbPoolOptions();
        (options.Pool.MaxSize, options.Pool.RentTimeout) = (MaxConnections + 2, Timeout.InfiniteTimeSpan);
        await using var source = PooledDataSource.Create(factory, connectionString, options);
        var (held, waiting) = await OpenUntilFullAsync(source);
        options.Pool.RentTimeout = TimeSpan.FromMilliseconds(100);
        source.Reconfigure(options);

        var refused = await Assert.ThrowsAsync<DbPoolException>(() => OpenAsync(source));

        Assert.Equal((PoolCondition.NoRoom, true), (((IPoolException)refused).Condition, refused.IsTransient));
        Assert.Contains($"{held.Count} leased", refused.Message, StringComparison.Ordinal);
        Assert.Equal(limit, CodeOf(refused.InnerException));
        Assert.Null(refused.OutageDuration);
        await held[0].DisposeAsync();
        held[0] = await Patience.WithinAsync(waiting);
        foreach (var connection in held)
        {
            await connection.DisposeAsync();
        }
    }

    private static string? CodeOf(Exception? failure) => failure switch
    {
        PostgresException postgres => postgres.SqlState,
        MySqlException maria => maria.Number.ToString(System.Globalization.CultureInfo.InvariantCulture),
        _ => failure?.ToString(),
    };

    private static Task<DbConnection> OpenAsync(PooledDataSource source) =>
        source.OpenConnectionAsync(TestContext.Current.CancellationToken).AsTask();

    /// <summary>Opens connections until the server refuses one; the caller that wanted it waits.</summary>
    private static async Task<(List<DbConnection> Held, Task<DbConnection> Waiting)> OpenUntilFullAsync(PooledDataSource source)
    {
        var held = new List<DbConnection>();
        while (true)
        {
            var opening = OpenAsync(source);
            await Patience.UntilAsync(
                () => ValueTask.FromResult(opening.IsCompleted || source.GetStatistics().CreateFailures > 0),
                static isDecided => isDecided, "a connection or a refusal");
            if (!opening.IsCompleted)
            {
                return (held, opening);
            }

            held.Add(await opening);
        }
    }

    /// <summary>Creates a user without privileges, whom the server gives few sessions.</summary>
    private async Task<(DbProviderFactory Factory, string ConnectionString)> LimitAsync(string limit)
    {
        if (limit is "53300")
        {
            var postgres = await ownPostgres.StartAsync(new TemporaryPostgresOptions());
            return (NpgsqlFactory.Instance, await LimitedUser.CreateAsync(postgres, Room));
        }

        var mariaDb = await ownMariaDb.StartAsync();
        await Administrator.RunAsync(
            MySqlConnectorFactory.Instance, mariaDb.ConnectionString,
            $"SET GLOBAL max_user_connections = {(limit is "1203" ? Room : 100)}; " +
            $"SET GLOBAL max_connections = {(limit is "1040" ? MaxConnections : 100)}");
        return (MySqlConnectorFactory.Instance, await LimitedUser.CreateAsync(mariaDb, limit is "1226" ? Room : 0));
    }
}
