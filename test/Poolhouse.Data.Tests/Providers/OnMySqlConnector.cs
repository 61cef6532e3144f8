using Dapper;
using MySqlConnector;
using Poolhouse.Data.Tests.Servers;

namespace Poolhouse.Data.Tests.Providers;

public sealed class OnMySqlConnector(MariaDbServer shared) : ServerConformance
{
    private string? _asAdministrator;

    internal override async Task<Subject> ConnectAsync() => On(await shared.CreateDatabaseAsync());

    internal override async Task<StoppableServer> StartOwnAsync()
    {
        var server = await TemporaryMariaDb.StartAsync(Token);
        await using var administrator = new MySqlConnection(server.ConnectionString);
        await administrator.ExecuteAsync("CREATE DATABASE own");
        return new StoppableServer(
            On(server.ConnectionString + ";Database=own"), server, () => server.StopAsync(), () => server.StartAgainAsync(Token));
    }

    private protected override string Sleep => "SELECT SLEEP(30) FROM information_schema.COLLATIONS";

    private protected override async Task<bool> IsSleepingAsync()
    {
        await using var administrator = new MySqlConnection(_asAdministrator);
        return await administrator.ExecuteScalarAsync<bool>(
            "SELECT EXISTS (SELECT * FROM information_schema.PROCESSLIST WHERE DB = DATABASE() AND INFO LIKE 'SELECT SLEEP%')");
    }

    private protected override async Task KillAllAsync()
    {
        await using var administrator = new MySqlConnection(_asAdministrator);
        foreach (var id in await administrator.QueryAsync<long>(
            "SELECT ID FROM information_schema.PROCESSLIST WHERE DB = DATABASE() AND ID <> CONNECTION_ID()"))
        {
            await administrator.ExecuteAsync($"KILL {id}");
        }
    }

    private Subject On(string unpooled)
    {
        _asAdministrator = unpooled;
        return new(MySqlConnectorFactory.Instance, unpooled.Replace("Pooling=false;", "", StringComparison.Ordinal))
        {
            Leftovers =
            [
                ("SET @owner = 'me'", "SELECT @owner"),
                ("SET SESSION sql_mode = 'ANSI'", "SELECT @@sql_mode"),
                ("SELECT GET_LOCK('cups', 0)", "SELECT IS_USED_LOCK('cups')"),
                ("USE mysql", "SELECT DATABASE()"),
            ],
            Begin = "START TRANSACTION",
            Setting = ("SET @owner = 2", "SET @owner = 3", "SELECT @owner"),
        };
    }
}
