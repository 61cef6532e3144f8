using System.Data.Common;
using System.Globalization;
using MySqlConnector;
using Poolhouse.Data.Tests.Faults;
using Poolhouse.Data.Tests.Servers;

namespace Poolhouse.Data.Tests.Resets;

/// <summary>Promise I21 in MySQL and MariaDB: session state of one lease does not reach the next.</summary>
public sealed class MySqlSessions(MariaDbServer server)
{
    /// <summary>What a lease does to its session, and the query whose answer must be the same as before.</summary>
    // Names that the server has itself are converted: MySql.Data 8.0 does not know their character set.
    private static readonly Dictionary<string, (string Leave, string Look)> _leaks = new(StringComparer.Ordinal)
    {
        ["default database"] = ("USE mysql", "SELECT CONVERT(DATABASE() USING utf8mb4)"),
        ["session variable"] = ("SET SESSION sort_buffer_size = 131072", "SELECT @@sort_buffer_size"),
        ["user variable"] = ("SET @tenant = 'blue'", "SELECT @tenant IS NULL"),
        ["temporary table"] =
            ("CREATE TEMPORARY TABLE lasting (id INT); INSERT INTO lasting VALUES (9)", "SELECT count(*) FROM lasting"),
        ["isolation level"] =
            ("SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE", "SELECT CONVERT(@@tx_isolation USING utf8mb4)"),
        ["named lock"] = ("DO GET_LOCK('one', 0)", "SELECT IS_USED_LOCK('one') IS NULL"),
        ["transaction"] = ("START TRANSACTION; INSERT INTO lasting VALUES (1)", "SELECT count(*) FROM lasting"),
        ["autocommit"] = ("SET autocommit = 0", "SELECT @@autocommit"),
        ["last id"] = ("DO LAST_INSERT_ID(4711)", "SELECT LAST_INSERT_ID()"),
        ["character set"] = ("SET NAMES greek", "SELECT CONVERT(@@character_set_client USING utf8mb4)"),
        ["table lock"] = ("LOCK TABLES lasting WRITE", "SELECT count(*) FROM lasting_too"),
        ["time zone"] = ("SET time_zone = '+05:00'", "SELECT CONVERT(@@time_zone USING utf8mb4)"),
        ["statement limit"] = ("SET max_statement_time = 60", "SELECT @@max_statement_time"),
    };

    public static TheoryData<string> Leaks => new(_leaks.Keys);

    [Theory]
    [MemberData(nameof(Leaks))]
    public async Task Session_state_of_one_lease_is_reset_in_the_next(string leak)
    {
        // A lease on a database, and one on none: there is no way back to none.
        var connectionString = await CreateDatabaseAsync();
        await AssertCleanAsync(() => new MySqlConnection(connectionString), leak, isReused: true);
        await AssertCleanAsync(
            () => new MySqlConnection(new MySqlConnectionStringBuilder(connectionString) { Database = "" }.ConnectionString),
            leak,
            isReused: leak is not "default database",
            database: new MySqlConnectionStringBuilder(connectionString).Database);
    }

    // It offers no reset: a session ends with its lease.
    [Theory]
    [MemberData(nameof(Leaks))]
    public async Task Session_state_of_one_lease_of_MySql_Data_is_gone_in_the_next(string leak)
    {
        var connectionString = await CreateDatabaseAsync();
        await AssertCleanAsync(
            () => new MySql.Data.MySqlClient.MySqlConnection(connectionString), leak, isReused: false);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_statement_prepared_in_one_lease_works_in_the_next(bool prepareAgain)
    {
        var connectionString = await server.CreateDatabaseAsync();
        await using var pool = DbConnectionPool.Create<MySqlConnection>(() => new MySqlConnection(connectionString), Options());
        await using var source = PooledDataSource.Create(new MySqlDataSource(connectionString), Options());
        for (var i = 0; i < 3; i++)
        {
            await using (var lease = await pool.RentAsync(Token))
            {
                await QueryPreparedAsync(lease.Value, prepareAgain || i == 0);
            }

            await using var connection = await source.OpenConnectionAsync(Token);
            await QueryPreparedAsync(connection, prepareAgain || i == 0);
        }

        // The list of the provider is wrong after a reset, so the connections on which something was prepared were destroyed.
        Assert.Equal(prepareAgain ? 3 : 2, pool.GetStatistics().Created);
        Assert.Equal(prepareAgain ? 3 : 2, source.GetStatistics().Created);
    }

    [Fact]
    public async Task A_connection_without_prepared_statements_is_reused_by_both_pools()
    {
        var connectionString = await server.CreateDatabaseAsync();
        await using var pool = DbConnectionPool.Create<MySqlConnection>(() => new MySqlConnection(connectionString), Options());
        await using var source = PooledDataSource.Create(
            MySqlConnectorFactory.Instance, connectionString.Replace("Pooling=false;", "", StringComparison.Ordinal), Options());
        for (var i = 0; i < 3; i++)
        {
            await using (var lease = await pool.RentAsync(Token))
            {
                await QueryAsync(lease.Value, "SELECT 1");
            }

            await using var connection = await source.OpenConnectionAsync(Token);
            await QueryAsync(connection, "SELECT 1");
        }

        Assert.Equal(1, pool.GetStatistics().Created);
        Assert.Equal(1, source.GetStatistics().Created);
    }

    [Fact]
    public async Task The_reset_of_MySqlConnectors_own_pool_keeps_connections_with_prepared_statements()
    {
        var connectionString = (await server.CreateDatabaseAsync()).Replace("Pooling=false;", "", StringComparison.Ordinal);
        var options = Options();
        options.Reset = SessionReset.Provider;
        await using var source = PooledDataSource.Create(MySqlConnectorFactory.Instance, connectionString, options);
        for (var i = 0; i < 3; i++)
        {
            await using var connection = await source.OpenConnectionAsync(Token);
            var isReset = await QueryAsync(connection, "SELECT @tenant IS NULL");
            Assert.Equal(1L, Convert.ToInt64(isReset, CultureInfo.InvariantCulture));
            await QueryPreparedAsync(connection, prepare: i < 2);
            await QueryAsync(connection, "SET @tenant = 'blue'");
        }

        Assert.Equal(1, source.GetStatistics().Created);
    }

    // Npgsql sends its reset along with the next command; MySqlConnector sends it when the connection is opened again.
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Closing_never_waits_for_the_reset_of_MySqlConnectors_own_pool(bool isAsync)
    {
        var connectionString = (await server.CreateDatabaseAsync()).Replace("Pooling=false;", "", StringComparison.Ordinal);
        var options = Options();
        options.Reset = SessionReset.Provider;
        await using var source = PooledDataSource.Create(MySqlConnectorFactory.Instance, connectionString, options);
        await using var connection = await source.OpenConnectionAsync(Token);
        await QueryAsync(connection, "SELECT 1");
        Assert.Equal(0, CountChangesWhileClosing());
        await using var next = await source.OpenConnectionAsync(Token);
        Assert.Equal(1, source.GetStatistics().Created);

        int CountChangesWhileClosing()
        {
            var (thread, changes, isClosing) = (Environment.CurrentManagedThreadId, 0, true);
            Fakes.Provider.Of<MySqlConnection>(connection).StateChange += (_, _) =>
                changes += isClosing && Environment.CurrentManagedThreadId == thread ? 1 : 0;
            if (isAsync)
            {
                Assert.True(connection.CloseAsync().IsCompletedSuccessfully);
            }
            else
            {
                connection.Close();
            }

            isClosing = false;
            return changes;
        }
    }

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    private static DbPoolOptions Options() => new() { Pool = new ResourcePoolOptions { MaxSize = 1 } };

    private static async Task AssertCleanAsync<TConnection>(
        Func<TConnection> create, string leak, bool isReused, string? database = null)
        where TConnection : DbConnection
    {
        var (leave, look) = _leaks[leak];
        if (database is not null)
        {
            leave = leave.Replace("lasting", database + ".lasting", StringComparison.Ordinal);
            look = look.Replace("lasting", database + ".lasting", StringComparison.Ordinal);
        }

        await using var pool = DbConnectionPool.Create(create, Options());
        TConnection first;
        object? before;
        await using (var lease = await pool.RentAsync(Token))
        {
            first = lease.Value;
            before = await QueryAsync(first, look);
            await QueryAsync(first, leave);
            Assert.False(Equals(before, await TryAskAsync(first, look)), leak);
        }

        await using (var lease = await pool.RentAsync(Token))
        {
            Assert.Equal(isReused, first == lease.Value);
            if (isReused)
            {
                Assert.Equal(before, await QueryAsync(lease.Value, look));
            }
            else
            {
                // A named lock belongs to the server, which ends a session some time after it was closed.
                await Patience.UntilAsync(
                    async () => await QueryAsync(lease.Value, look), answer => Equals(before, answer), leak + " is gone");
            }
        }
    }

    private async Task<string> CreateDatabaseAsync()
    {
        var connectionString = await server.CreateDatabaseAsync();
        await using var source = new MySqlDataSource(connectionString);
        await using var command = source.CreateCommand("CREATE TABLE lasting (id INT); CREATE TABLE lasting_too (id INT)");
        await command.ExecuteNonQueryAsync(Token);
        return connectionString;
    }

    private static async Task QueryPreparedAsync(DbConnection connection, bool prepare)
    {
        await using var command = connection.CreateCommand();
        command.CommandText = "SELECT CAST(42 AS SIGNED)";
        if (prepare)
        {
            await command.PrepareAsync(Token);
        }

        Assert.Equal(42L, Convert.ToInt64(await command.ExecuteScalarAsync(Token), CultureInfo.InvariantCulture));
    }

    private static async Task<object?> TryAskAsync(DbConnection connection, string sql)
    {
        try
        {
            return await QueryAsync(connection, sql);
        }
        catch (DbException failure)
        {
            return failure.Message;
        }
    }

    private static async Task<object?> QueryAsync(DbConnection connection, string sql)
    {
        await using var command = connection.CreateCommand();
        command.CommandText = sql;
        await using var reader = await command.ExecuteReaderAsync(Token);
        return await reader.ReadAsync(Token) ? reader.GetValue(reader.FieldCount - 1) : null;
    }
}
