using Dapper;
using FirebirdSql.Data.FirebirdClient;
using Poolhouse.Data.Tests.Servers;

namespace Poolhouse.Data.Tests.Providers;

public sealed class OnFirebird(FirebirdServer shared) : ServerConformance
{
    private const string Remembered = "SELECT RDB$GET_CONTEXT('USER_SESSION', 'owner') FROM RDB$DATABASE";

    private string? _asAdministrator;

    internal override async Task<Subject> ConnectAsync() => On(await shared.CreateDatabaseAsync());

    internal override async Task<StoppableServer> StartOwnAsync()
    {
        var server = await TemporaryFirebird.StartAsync(Token);
        return new StoppableServer(
            On(await server.CreateDatabaseAsync()), server, server.StopAsync, () => server.StartAgainAsync(Token));
    }

    // The server has no function that waits, and computes a query only when its rows are read.
    private protected override string Sleep =>
        "EXECUTE BLOCK AS DECLARE n BIGINT = 0; BEGIN WHILE (n < 1000000000) DO n = n + 1; END";

    private protected override async Task<bool> IsSleepingAsync()
    {
        await using var administrator = new FbConnection(_asAdministrator);
        return await administrator.ExecuteScalarAsync<bool>(
            "SELECT COUNT(*) FROM MON$STATEMENTS WHERE MON$STATE = 1 AND MON$SQL_TEXT LIKE '%n = n + 1%' " +
            "AND MON$ATTACHMENT_ID <> CURRENT_CONNECTION");
    }

    private protected override async Task KillAllAsync()
    {
        await using var administrator = new FbConnection(_asAdministrator);
        await administrator.ExecuteAsync(
            "DELETE FROM MON$ATTACHMENTS WHERE MON$ATTACHMENT_ID <> CURRENT_CONNECTION AND MON$SYSTEM_FLAG = 0");
    }

    private Subject On(string connectionString)
    {
        _asAdministrator = connectionString + ";Pooling=false";
        return new(FirebirdClientFactory.Instance, connectionString)
        {
            Begin = "SET TRANSACTION",
            RefusesBegin = true,
            Leftovers = [(Remember("1"), Remembered)],
            Setting = (Remember("2"), Remember("3"), Remembered),
        };
    }

    private static string Remember(string owner) =>
        $"EXECUTE BLOCK AS DECLARE before INT; BEGIN before = RDB$SET_CONTEXT('USER_SESSION', 'owner', '{owner}'); END";
}
