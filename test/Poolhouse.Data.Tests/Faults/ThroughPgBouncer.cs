using System.Globalization;
using Npgsql;
using Poolhouse.Data.Tests.Faults.Kinds;
using Poolhouse.Data.Tests.Servers;
using Poolhouse.Tool.Servers;

namespace Poolhouse.Data.Tests.Faults;

/// <summary>
/// Through PgBouncer in transaction mode: a pool's connection has another session for each transaction, so that its state belongs
/// to no caller, and a reset would clean a session that others use.
/// </summary>
public sealed class ThroughPgBouncer(OwnServer own) : IClassFixture<OwnServer>
{
    private const int Callers = 12;
    private const int Size = 6;
    private const int Sessions = 2;

    public static TheoryData<PoolApi, string> Ways => new(
        from api in Enum.GetValues<PoolApi>()
        from reset in (string[])[nameof(SessionReset.None), nameof(SessionReset.RollbackOnly)]
        select (api, reset));

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task More_connections_than_server_sessions_serve_every_caller_correctly(PoolApi api, string reset)
    {
        var server = await own.StartAsync();
        await using var bouncer = await PostgresServer.StartBouncerAsync(server, Sessions);
        await using var watch = new ServerWatch(server.ConnectionString);
        await using var user = new PoolUser(
            api, bouncer.ConnectionString, PoolUser.Options(Size), options => options.Reset = ResetOf(reset), Connect);

        await Patience.WithinAsync(Task.WhenAll(Enumerable.Range(0, Callers).Select(_ => user.RunAsync(async () =>
        {
            for (var i = 0; i < 20; i++)
            {
                await user.AskNonceAsync();
            }
        }))));

        Assert.Equal((0, 0L), (user.Errors, user.Statistics.CreateFailures));
        Assert.InRange(user.Statistics.Live, 2, Size);
        Assert.InRange(await watch.CountAsync(user.SessionName), 1, Sessions);
    }

    [Theory]
    [MemberData(nameof(PoolApis.All), MemberType = typeof(PoolApis))]
    public async Task A_transaction_left_open_is_rolled_back_and_its_session_is_released(PoolApi api)
    {
        var server = await own.StartAsync();
        await using var bouncer = await PostgresServer.StartBouncerAsync(server, poolSize: 1);
        await using var user = new PoolUser(
            api, bouncer.ConnectionString, PoolUser.Options(1), options => options.Reset = SessionReset.RollbackOnly, Connect);
        var table = string.Create(CultureInfo.InvariantCulture, $"left_by_{user.SessionName}");
        await user.RunAsync(() => user.QueryAsync($"BEGIN; CREATE TABLE {table} (id int)"));

        // There is one session: other requests for it wait until the transaction has ended.
        await using var other = new PoolUser(
            api, bouncer.ConnectionString, PoolUser.Options(1), options => options.Reset = SessionReset.None, Connect);
        var found = await Patience.WithinAsync(other.RunAsync(() => other.QueryAsync($"SELECT to_regclass('{table}')::text")));

        Assert.Equal(DBNull.Value, found);
    }

    private static SessionReset ResetOf(string name) =>
        string.Equals(name, nameof(SessionReset.None), StringComparison.Ordinal) ? SessionReset.None : SessionReset.RollbackOnly;

    private static void Connect(NpgsqlConnectionStringBuilder connection)
    {
        connection.NoResetOnClose = true;
        connection.MaxAutoPrepare = 0;
    }
}
