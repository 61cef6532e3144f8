using MySqlConnector;
using Poolhouse.Data.Tests.Servers;

namespace Poolhouse.Data.Tests.Providers;

public sealed class OnMySqlConnector(MariaDbServer server) : ProviderConformance
{
    internal override async Task<Subject> ConnectAsync()
    {
        var connectionString = (await server.CreateDatabaseAsync()).Replace("Pooling=false;", "", StringComparison.Ordinal);
        return new Subject(MySqlConnectorFactory.Instance, connectionString)
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
            Sleep = "SELECT SLEEP(30) FROM information_schema.COLLATIONS",
            KillAllAsync = async () =>
            {
                await using var administrator = new MySqlConnection(connectionString + ";Pooling=false");
                await administrator.OpenAsync(TestContext.Current.CancellationToken);
                foreach (var id in await Dapper.SqlMapper.QueryAsync<long>(
                    administrator,
                    "SELECT ID FROM information_schema.PROCESSLIST WHERE DB = DATABASE() AND ID <> CONNECTION_ID()"))
                {
                    await Dapper.SqlMapper.ExecuteAsync(administrator, $"KILL {id}");
                }
            },
        };
    }
}
