using MySqlConnector;
using Poolhouse.Data.Tests.Servers;

namespace Poolhouse.Data.Tests.Resets;

/// <summary>Promise I21 in MySQL and MariaDB: what one lease leaves in its session, the next does not find.</summary>
public sealed class MySqlSessions
{
    /// <summary>What a lease does to its session, and the query whose answer must be the same as before.</summary>
    private static readonly Dictionary<string, (string Leave, string Look)> _leaks = new(StringComparer.Ordinal)
    {
        ["default database"] = ("USE second", "SELECT DATABASE()"),
        ["session variable"] = ("SET SESSION sort_buffer_size = 131072", "SELECT @@sort_buffer_size"),
        ["user variable"] = ("SET @tenant = 'blue'", "SELECT @tenant IS NULL"),
        ["temporary table"] = ("CREATE TEMPORARY TABLE first.lasting (id INT); INSERT INTO first.lasting VALUES (9)", "SELECT count(*) FROM first.lasting"),
        ["isolation level"] = ("SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE", "SELECT @@tx_isolation"),
        ["named lock"] = ("DO GET_LOCK('one', 0)", "SELECT IS_USED_LOCK('one') IS NULL"),
        ["transaction"] = ("START TRANSACTION; INSERT INTO first.lasting VALUES (1)", "SELECT count(*) FROM first.lasting"),
        ["autocommit"] = ("SET autocommit = 0", "SELECT @@autocommit"),
        ["last id"] = ("DO LAST_INSERT_ID(4711)", "SELECT LAST_INSERT_ID()"),
        ["character set"] = ("SET NAMES latin1", "SELECT @@character_set_client"),
    };

    [Fact]
    public async Task Session_state_of_one_lease_is_reset_in_the_next()
    {
        await using var server = await TemporaryMariaDb.StartAsync(Token);
        await using (var connection = new MySqlConnection(server.ConnectionString))
        {
            await connection.OpenAsync(Token);
            await AskAsync(connection, "CREATE DATABASE first; CREATE DATABASE second; CREATE TABLE first.lasting (id INT)");
        }

        // One connection string for each: a lease on a database, and one on none.
        foreach (var database in new[] { ";Database=first", string.Empty })
        {
            var connectionString = server.ConnectionString + ";AllowUserVariables=true" + database;
            foreach (var (leak, (leave, look)) in _leaks)
            {
                await using var pool = DbConnectionPool.Create<MySqlConnection>(
                    () => new MySqlConnection(connectionString), new DbPoolOptions { Pool = new ResourcePoolOptions { MaxSize = 1 } });
                MySqlConnection first;
                object? before;
                await using (var lease = await pool.RentAsync(Token))
                {
                    first = lease.Value;
                    before = await AskAsync(first, look);
                    await AskAsync(first, leave);
                    Assert.False(Equals(before, await AskAsync(first, look)), leak);
                }

                await using (var lease = await pool.RentAsync(Token))
                {
                    // There is no way back to no database.
                    var goesBack = database.Length > 0 || !string.Equals(leak, "default database", StringComparison.Ordinal);
                    Assert.True(goesBack == (first == lease.Value), leak);
                    Assert.True(Equals(before, await AskAsync(lease.Value, look)), leak);
                }
            }
        }
    }

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    private static async Task<object?> AskAsync(MySqlConnection connection, string sql)
    {
        await using var command = connection.CreateCommand();
#pragma warning disable CA2100 // The statements are constants of this file.
        command.CommandText = sql;
#pragma warning restore CA2100
        return await command.ExecuteScalarAsync(Token);
    }
}
