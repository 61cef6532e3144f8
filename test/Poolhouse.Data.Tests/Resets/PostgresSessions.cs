using System.Data.Common;
using Npgsql;
using Poolhouse.Data.Tests.Faults;
using Poolhouse.Data.Tests.Servers;
using Poolhouse.Tool.Servers;

namespace Poolhouse.Data.Tests.Resets;

/// <summary>Promise I21 on a real server: session state of one lease does not reach the next.</summary>
public sealed class PostgresSessions(PostgresServer server)
{
    public enum Way
    {
        Full,
        KeepPrepared,
        Provider,
    }

    /// <summary>What a lease does to its session, and the query that must then give "clean".</summary>
    private static readonly Dictionary<string, (string Leave, string Look)> _leaks = new(StringComparer.Ordinal)
    {
        ["role"] =
            ("SET ROLE pg_monitor",
                "SELECT CASE WHEN current_user = session_user AND current_setting('role') = 'none' THEN 'clean' ELSE " +
                "current_user END"),
        ["session authorization"] = ("SET SESSION AUTHORIZATION pg_monitor",
            "SELECT CASE WHEN session_user = 'poolhouse' THEN 'clean' ELSE session_user END"),
        ["role under another session authorization"] = (
            "SET SESSION AUTHORIZATION pg_read_all_stats; SET ROLE NONE",
            "SELECT CASE WHEN current_user = 'poolhouse' THEN 'clean' ELSE current_user END"),
        ["setting"] = ("SET work_mem = '123MB'",
            "SELECT CASE WHEN current_setting('work_mem') = '4MB' THEN 'clean' ELSE current_setting('work_mem') END"),
        ["setting by function"] = ("SELECT set_config('app.tenant', 'blue', false)",
            "SELECT CASE WHEN coalesce(current_setting('app.tenant', true), '') = '' THEN 'clean' ELSE 'blue' END"),
        ["search path"] = ("SET search_path = pg_catalog",
            "SELECT CASE WHEN current_setting('search_path') = '\"$user\", public' THEN 'clean' ELSE " +
            "current_setting('search_path') END"),
        ["isolation level"] = (
            "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SERIALIZABLE",
            "SELECT CASE WHEN current_setting('transaction_isolation') = 'read committed' THEN 'clean' ELSE " +
            "current_setting('transaction_isolation') END"),
        ["read only"] = ("SET default_transaction_read_only = on",
            "SELECT CASE WHEN current_setting('transaction_read_only') = 'off' THEN 'clean' ELSE 'read only' END"),
        ["statement timeout"] = ("SET statement_timeout = 12345",
            "SELECT CASE WHEN current_setting('statement_timeout') = '0' THEN 'clean' ELSE 'timeout' END"),
        ["temporary table"] = ("CREATE TEMP TABLE left_behind (id int)",
            "SELECT CASE WHEN to_regclass('pg_temp.left_behind') IS NULL THEN 'clean' ELSE 'table' END"),
        ["advisory lock"] = ("SELECT pg_advisory_lock(42)",
            "SELECT CASE WHEN NOT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()) THEN " +
            "'clean' ELSE 'lock' END"),
        ["listen"] = ("LISTEN gossip",
            "SELECT CASE WHEN NOT EXISTS (SELECT FROM pg_listening_channels()) THEN 'clean' ELSE 'listening' END"),
        ["cursor with hold"] = ("DECLARE left_open CURSOR WITH HOLD FOR SELECT 1",
            "SELECT CASE WHEN NOT EXISTS (SELECT FROM pg_cursors WHERE name = 'left_open') THEN 'clean' ELSE 'cursor' END"),
        ["transaction by SQL"] = ("BEGIN; CREATE TABLE not_committed (id int)",
            "SELECT CASE WHEN to_regclass('not_committed') IS NULL AND pg_current_xact_id_if_assigned() IS NULL THEN 'clean' " +
            "ELSE 'transaction' END"),
        ["sequence"] = ("CREATE TEMP SEQUENCE s; SELECT nextval('s')",
            "SELECT CASE WHEN to_regclass('pg_temp.s') IS NULL THEN 'clean' ELSE 'sequence' END"),
    };

    public static TheoryData<string, Way> Leaks => new(
        from leak in _leaks.Keys
        from way in Enum.GetValues<Way>()
        select (leak, way));

    [Theory]
    [MemberData(nameof(Leaks))]
    public async Task Session_state_of_one_lease_is_reset_in_the_next(string leak, Way way)
    {
        var (leave, look) = _leaks[leak];
        await using var pool = NewPool(await server.CreateDatabaseAsync(), ResetOf(way));

        int first;
        await using (var lease = await pool.RentAsync(TestContext.Current.CancellationToken))
        {
            first = lease.Value.ProcessID;
            await ExecuteAsync(lease.Value, leave);
            Assert.NotEqual("clean", await ReadAsync(lease.Value, look));
        }

        await using (var lease = await pool.RentAsync(TestContext.Current.CancellationToken))
        {
            Assert.Equal(first, lease.Value.ProcessID);
            Assert.Equal("clean", await ReadAsync(lease.Value, look));
        }
    }

    [Theory]
    [InlineData(Way.Full, "1")]
    [InlineData(Way.KeepPrepared, "1")]
    [InlineData(Way.Provider, "0")]
    public async Task Prepared_statements_known_to_the_provider_are_kept(Way way, string expected)
    {
        await using var pool = NewPool(await server.GetConnectionStringAsync(), ResetOf(way));
        await using (var lease = await pool.RentAsync(TestContext.Current.CancellationToken))
        {
            await ExecuteAsync(lease.Value, "PREPARE answer AS SELECT 42");
        }

        await using (var lease = await pool.RentAsync(TestContext.Current.CancellationToken))
        {
            Assert.Equal(
                expected,
                await ReadAsync(lease.Value, "SELECT count(*)::text FROM pg_prepared_statements WHERE name = 'answer'"));
        }
    }

    [Fact]
    public async Task Prepared_statements_unknown_to_the_provider_are_removed()
    {
        await using var source = PooledDataSource.Create(
            NpgsqlFactory.Instance,
            await server.GetConnectionStringAsync(),
            new DbPoolOptions { Pool = new ResourcePoolOptions { MaxSize = 1 }, Reset = SessionReset.PostgreSql });
        await using (var command = source.CreateCommand("PREPARE answer AS SELECT 42"))
        {
            await command.ExecuteNonQueryAsync(TestContext.Current.CancellationToken);
        }

        await using (var command = source.CreateCommand("SELECT count(*) FROM pg_prepared_statements"))
        {
            Assert.Equal(0L, await command.ExecuteScalarAsync(TestContext.Current.CancellationToken));
        }
    }

    [Theory]
    [InlineData("")]
    [InlineData(";Max Auto Prepare=10;Auto Prepare Min Usages=1")]
    public async Task A_statement_prepared_in_one_lease_can_be_prepared_in_the_next(string keywords)
    {
        await using var pool = NewPool(await server.GetConnectionStringAsync() + keywords, SessionReset.PostgreSql);
        for (var i = 0; i < 4; i++)
        {
            await using var lease = await pool.RentAsync(TestContext.Current.CancellationToken);
            await using var command = new NpgsqlCommand("SELECT 'prepared'", lease.Value);
            if (keywords.Length == 0)
            {
                await command.PrepareAsync(TestContext.Current.CancellationToken);
            }

            Assert.Equal("prepared", await command.ExecuteScalarAsync(TestContext.Current.CancellationToken));
        }

        Assert.Equal(1, pool.GetStatistics().Created);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_transaction_left_open_is_rolled_back_whether_failed_or_not(bool failed)
    {
        var database = await server.CreateDatabaseAsync();
        foreach (var reset in new[]
        {
            SessionReset.PostgreSql,
            SessionReset.PostgreSqlKeepPrepared,
            SessionReset.Provider,
            SessionReset.RollbackOnly,
        })
        {
            await using var pool = NewPool(database, reset);
            int first;
            await using (var lease = await pool.RentAsync(TestContext.Current.CancellationToken))
            {
                first = lease.Value.ProcessID;
                await lease.Value.BeginTransactionAsync(TestContext.Current.CancellationToken);
                await ExecuteAsync(lease.Value, "CREATE TABLE not_committed (id int)");
                if (failed)
                {
                    await Assert.ThrowsAsync<PostgresException>(() => ExecuteAsync(lease.Value, "SELECT 1 / 0"));
                }
            }

            await using (var lease = await pool.RentAsync(TestContext.Current.CancellationToken))
            {
                Assert.Equal(first, lease.Value.ProcessID);
                Assert.Equal(
                    "gone", await ReadAsync(
                        lease.Value, "SELECT CASE WHEN to_regclass('not_committed') IS NULL THEN 'gone' ELSE 'there' END"));
                await using var transaction = await lease.Value.BeginTransactionAsync(TestContext.Current.CancellationToken);
                await transaction.CommitAsync(TestContext.Current.CancellationToken);
            }
        }
    }

    [Fact]
    public async Task A_reader_left_open_destroys_the_connection()
    {
        await using var pool = NewPool(await server.GetConnectionStringAsync(), SessionReset.PostgreSql);
        int first;
        await using (var lease = await pool.RentAsync(TestContext.Current.CancellationToken))
        {
            first = lease.Value.ProcessID;
            var command = new NpgsqlCommand("SELECT generate_series(1, 100000)", lease.Value);
            await command.ExecuteReaderAsync(TestContext.Current.CancellationToken);
        }

        await using (var lease = await pool.RentAsync(TestContext.Current.CancellationToken))
        {
            Assert.NotEqual(first, lease.Value.ProcessID);
            Assert.Equal("clean", await ReadAsync(lease.Value, "SELECT 'clean'"));
        }

        Assert.Equal(1, pool.GetStatistics().DestroyedFor(DestroyReason.ResetFailed));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task The_next_lease_is_on_the_database_of_the_pool(bool hasDataSource)
    {
        var connectionString = await server.CreateDatabaseAsync();
        var other = DatabaseOf(await server.CreateDatabaseAsync());
        await using var provider = NpgsqlDataSource.Create(connectionString + ";Pooling=false");
        var options = new DbPoolOptions { Pool = new ResourcePoolOptions { MaxSize = 1 } };
        await using var pool = hasDataSource
            ? new DbConnectionPool<NpgsqlConnection>(provider, options)
            : new DbConnectionPool<NpgsqlConnection>(NpgsqlFactory.Instance, connectionString, options);
        await using (var lease = await pool.RentAsync(TestContext.Current.CancellationToken))
        {
            await lease.Value.ChangeDatabaseAsync(other, TestContext.Current.CancellationToken);
            Assert.Equal(other, await ReadAsync(lease.Value, "SELECT current_database()::text"));
        }

        await using (var lease = await pool.RentAsync(TestContext.Current.CancellationToken))
        {
            Assert.Equal(DatabaseOf(connectionString), await ReadAsync(lease.Value, "SELECT current_database()::text"));
        }
    }

    [Fact]
    public async Task A_session_on_another_database_ends_when_the_connection_changes_back()
    {
        var connectionString = await server.CreateDatabaseAsync();
        var other = DatabaseOf(await server.CreateDatabaseAsync());
        await using var source = PooledDataSource.Create(NpgsqlFactory.Instance, connectionString);
        await using var connection = await source.OpenConnectionAsync(TestContext.Current.CancellationToken);
        await connection.ChangeDatabaseAsync(other, TestContext.Current.CancellationToken);
        Assert.Equal(1, await CountSessionsAsync(other));

        await connection.ChangeDatabaseAsync(DatabaseOf(connectionString), TestContext.Current.CancellationToken);

        await UntilNoSessionAsync(other);
    }

    [Theory]
    [InlineData("connection")]
    [InlineData("unwrapped connection")]
    [InlineData("unwrapped connection that changes back")]
    [InlineData("lease")]
    [InlineData("lease that changes back")]
    public async Task Sessions_on_another_database_end_with_their_leases(string kind)
    {
        var connectionString = await server.CreateDatabaseAsync() + ";Timeout=30";
        var other = DatabaseOf(await server.CreateDatabaseAsync());
        await using (var source = PooledDataSource.Create(NpgsqlFactory.Instance, connectionString))
        await using (var pool = new DbConnectionPool<NpgsqlConnection>(NpgsqlFactory.Instance, connectionString))
        {
            var open = new List<(IAsyncDisposable Use, DbConnection Connection)>();
            for (var i = 0; i < 3; i++)
            {
                if (kind.StartsWith("lease", StringComparison.Ordinal))
                {
                    var lease = await pool.RentAsync(TestContext.Current.CancellationToken);
                    open.Add((lease, lease.Value));
                }
                else
                {
                    var connection = await source.OpenConnectionAsync(TestContext.Current.CancellationToken);
                    open.Add((connection, kind is "connection" ? connection : connection.Unwrap<NpgsqlConnection>()));
                }

                await open[i].Connection.ChangeDatabaseAsync(other, TestContext.Current.CancellationToken);
            }

            Assert.Equal(3, await CountSessionsAsync(other));
            if (kind.EndsWith("changes back", StringComparison.Ordinal))
            {
                foreach (var (_, connection) in open)
                {
                    await connection.ChangeDatabaseAsync(
                        DatabaseOf(connectionString), TestContext.Current.CancellationToken);
                }
            }

            foreach (var (use, _) in open)
            {
                await use.DisposeAsync();
            }

            await UntilNoSessionAsync(other);
        }
    }

    [Fact]
    public async Task A_reset_writes_nothing_to_the_server_log()
    {
        await using var own = await PostgresServer.StartOwnAsync();
        foreach (var reset in new[]
        {
            SessionReset.PostgreSql,
            SessionReset.PostgreSqlKeepPrepared,
            SessionReset.Provider,
            SessionReset.RollbackOnly,
        })
        {
            await using var pool = NewPool(own.ConnectionString, reset);
            for (var i = 0; i < 3; i++)
            {
                await using var lease = await pool.RentAsync(TestContext.Current.CancellationToken);
                await ReadAsync(lease.Value, "SELECT 'clean'");
            }
        }

        Assert.DoesNotContain(
            own.ReadLog().Split('\n'),
            line => line.Contains("ERROR", StringComparison.Ordinal) || line.Contains("WARNING", StringComparison.Ordinal));
    }

    private Task UntilNoSessionAsync(string database) => Patience.UntilAsync(
        async () => await CountSessionsAsync(database), count => count == 0, "every session has ended");

    private async Task<long> CountSessionsAsync(string database)
    {
        await using var source = NpgsqlDataSource.Create(await server.GetConnectionStringAsync() + ";Pooling=false");
        await using var command = source.CreateCommand(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = $1 AND backend_type = 'client backend'");
        command.Parameters.Add(new NpgsqlParameter { Value = database });
        return (long)(await command.ExecuteScalarAsync(TestContext.Current.CancellationToken))!;
    }

    private static string DatabaseOf(string connectionString) =>
        new NpgsqlConnectionStringBuilder(connectionString).Database!;

    private static SessionReset ResetOf(Way way) => way switch
    {
        Way.KeepPrepared => SessionReset.PostgreSqlKeepPrepared,
        Way.Provider => SessionReset.Provider,
        _ => SessionReset.PostgreSql,
    };

    private static DbConnectionPool<NpgsqlConnection> NewPool(string connectionString, SessionReset reset) =>
        new(NpgsqlFactory.Instance,
            connectionString, new DbPoolOptions { Pool = new ResourcePoolOptions { MaxSize = 1 }, Reset = reset });

    private static async Task ExecuteAsync(NpgsqlConnection connection, string sql)
    {
        await using var command = new NpgsqlCommand(sql, connection);
        await command.ExecuteNonQueryAsync(TestContext.Current.CancellationToken);
    }

    private static async Task<string?> ReadAsync(NpgsqlConnection connection, string sql)
    {
        await using var command = new NpgsqlCommand(sql, connection);
        return (string?)await command.ExecuteScalarAsync(TestContext.Current.CancellationToken);
    }
}
