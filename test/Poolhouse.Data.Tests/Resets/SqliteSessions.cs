using System.Data;
using System.Data.Common;
using System.Globalization;
using Microsoft.Data.Sqlite;
using Poolhouse.Data.Sessions;
using Poolhouse.Data.Tests.Servers;

namespace Poolhouse.Data.Tests.Resets;

/// <summary>Promise I21 in SQLite: session state of one lease does not reach the next.</summary>
public sealed class SqliteSessions
{
    /// <summary>What a lease does, and the query whose answer must be the same as on a new connection.</summary>
    private static readonly Dictionary<string, (string Leave, string Look)> _leaks = new(StringComparer.Ordinal)
    {
        ["transaction by SQL"] =
            ("BEGIN; CREATE TABLE not_committed (id int)", "SELECT count(*) FROM sqlite_master WHERE name = 'not_committed'"),
        ["savepoint"] = ("SAVEPOINT here; CREATE TABLE not_released (id int)",
            "SELECT count(*) FROM sqlite_master WHERE name = 'not_released'"),
        ["attached database"] = ("ATTACH ':memory:' AS \"odd \"\"name\"",
            "SELECT count(*) FROM pragma_database_list WHERE name NOT IN ('main', 'temp')"),
        ["temporary table"] = ("CREATE TEMP TABLE left_behind (id int); CREATE INDEX temp.i ON left_behind (id)",
            "SELECT count(*) FROM sqlite_temp_master"),
        ["temporary view and trigger"] = (
            "CREATE TEMP TABLE t (id int); CREATE TEMP VIEW v AS SELECT * FROM t; CREATE TEMP TRIGGER g AFTER INSERT ON t " +
            "BEGIN DELETE FROM t; END",
            "SELECT count(*) FROM sqlite_temp_master"),
        ["foreign_keys"] = ("PRAGMA foreign_keys = OFF", "SELECT * FROM pragma_foreign_keys"),
        ["query_only"] = ("PRAGMA query_only = ON", "SELECT * FROM pragma_query_only"),
        ["recursive_triggers"] = ("PRAGMA recursive_triggers = ON", "SELECT * FROM pragma_recursive_triggers"),
        ["read_uncommitted"] = ("PRAGMA read_uncommitted = ON", "SELECT * FROM pragma_read_uncommitted"),
        ["busy_timeout"] = ("PRAGMA busy_timeout = 4321", "SELECT * FROM pragma_busy_timeout"),
        ["cache_size"] = ("PRAGMA cache_size = 77", "SELECT * FROM pragma_cache_size"),
        ["synchronous"] = ("PRAGMA synchronous = OFF", "SELECT * FROM pragma_synchronous"),
        ["temp_store"] = ("PRAGMA temp_store = MEMORY", "SELECT * FROM pragma_temp_store"),
        ["ignore_check_constraints"] = ("PRAGMA ignore_check_constraints = ON", "SELECT * FROM pragma_ignore_check_constraints"),
        ["reverse_unordered_selects"] =
            ("PRAGMA reverse_unordered_selects = ON", "SELECT * FROM pragma_reverse_unordered_selects"),
        ["last rowid"] =
            ("CREATE TEMP TABLE t (id INTEGER PRIMARY KEY); INSERT INTO t VALUES (4711)", "SELECT last_insert_rowid()"),
        ["last rowid of a read-only session"] =
            ("CREATE TEMP TABLE t (id INTEGER PRIMARY KEY); INSERT INTO t VALUES (4711); PRAGMA query_only = ON",
                "SELECT last_insert_rowid()"),
    };

    /// <summary>What is seen and not put back: it costs the connection.</summary>
    private static readonly Dictionary<string, (string Leave, string Look)> _costly = new(StringComparer.Ordinal)
    {
        ["automatic index"] = ("PRAGMA automatic_index = OFF", "SELECT * FROM pragma_automatic_index"),
        ["case_sensitive_like"] = ("PRAGMA case_sensitive_like = ON", "SELECT 'a' LIKE 'A'"),
        ["trusted_schema"] = ("PRAGMA trusted_schema = OFF", "SELECT * FROM pragma_trusted_schema"),
        ["cell_size_check"] = ("PRAGMA cell_size_check = ON", "SELECT * FROM pragma_cell_size_check"),
        ["full_column_names"] = ("PRAGMA full_column_names = ON", "SELECT * FROM pragma_full_column_names"),
        ["short_column_names"] = ("PRAGMA short_column_names = OFF", "SELECT * FROM pragma_short_column_names"),
        ["legacy_alter_table"] = ("PRAGMA legacy_alter_table = ON", "SELECT * FROM pragma_legacy_alter_table"),
        ["writable_schema"] = ("PRAGMA writable_schema = ON", "SELECT * FROM pragma_writable_schema"),
        ["locking_mode"] = ("PRAGMA locking_mode = EXCLUSIVE", "SELECT * FROM pragma_locking_mode"),
        ["secure_delete"] = ("PRAGMA secure_delete = ON", "SELECT * FROM pragma_secure_delete"),
        ["analysis_limit"] = ("PRAGMA analysis_limit = 100", "SELECT * FROM pragma_analysis_limit"),
        ["threads"] = ("PRAGMA threads = 3", "SELECT * FROM pragma_threads"),
        ["fullfsync"] = ("PRAGMA fullfsync = ON", "SELECT * FROM pragma_fullfsync"),
        ["checkpoint_fullfsync"] = ("PRAGMA checkpoint_fullfsync = ON", "SELECT * FROM pragma_checkpoint_fullfsync"),
        ["journal_size_limit"] = ("PRAGMA journal_size_limit = 4096", "SELECT * FROM pragma_journal_size_limit"),
        ["max_page_count"] = ("PRAGMA max_page_count = 5000", "SELECT * FROM pragma_max_page_count"),
        ["cache_spill"] = ("PRAGMA cache_spill = OFF", "PRAGMA cache_spill"),
        ["mmap_size"] = ("PRAGMA mmap_size = 4096", "PRAGMA mmap_size"),
        ["wal_autocheckpoint"] = ("PRAGMA wal_autocheckpoint = 1", "PRAGMA wal_autocheckpoint"),
        ["journal in memory"] = ("PRAGMA journal_mode = MEMORY", "SELECT * FROM pragma_journal_mode"),
        ["no journal"] = ("PRAGMA journal_mode = OFF", "SELECT * FROM pragma_journal_mode"),
    };

    public static TheoryData<string> Leaks => new(_leaks.Keys);

    public static TheoryData<string> CostlyLeaks => new(_costly.Keys);

    [Theory]
    [MemberData(nameof(Leaks))]
    public async Task Session_state_of_one_lease_is_reset_in_the_next(string leak)
    {
        await using var pool = NewPool(SessionReset.Sqlite);

        Assert.True(await ResetsAndKeepsAsync(pool, _leaks[leak]));
    }

    [Theory]
    [MemberData(nameof(CostlyLeaks))]
    public async Task State_that_cannot_be_reset_destroys_the_connection(string leak)
    {
        using var file = new SqliteFile();
        await using var pool = NewPool(SessionReset.Sqlite, file.ConnectionString);

        Assert.False(await ResetsAndKeepsAsync(pool, _costly[leak]));
    }

    [Fact]
    public async Task The_default_timeout_of_the_next_lease_is_that_of_the_connection_string()
    {
        using var file = new SqliteFile();
        await using var pool = NewPool(SessionReset.Sqlite, file.ConnectionString + ";Default Timeout=17");
        SqliteConnection first;
        await using (var lease = await pool.RentAsync(TestContext.Current.CancellationToken))
        {
            first = lease.Value;
            first.DefaultTimeout = 1;
        }

        await using (var lease = await pool.RentAsync(TestContext.Current.CancellationToken))
        {
            Assert.Same(first, lease.Value);
            Assert.Equal(17, lease.Value.DefaultTimeout);
        }
    }

    // What a data source attaches or creates on each of its connections stays as it was. A name alone does not identify an
    // object.
    [Theory]
    [InlineData("DETACH extra; ATTACH '{0}' AS extra", false)]
    [InlineData("DETACH extra; ATTACH '{1}' AS extra", true)]
    [InlineData("ATTACH '{0}' AS more", false)]
    [InlineData("DETACH extra", false)]
    [InlineData("DROP TABLE mine; CREATE TEMP TABLE mine (id int)", false)]
    [InlineData("DROP TABLE mine; CREATE TEMP TABLE theirs (id int)", false)]
    [InlineData("CREATE TEMP TABLE more (id int)", false)]
    [InlineData("CREATE TABLE lasting (id INTEGER PRIMARY KEY); INSERT INTO lasting VALUES (4711)", true)]
    public async Task Settings_from_the_open_are_present_in_the_next_lease(string leave, bool isKept)
    {
        using var file = new SqliteFile();
        using var extra = new SqliteFile();
        using var other = new SqliteFile();
        var (extraPath, otherPath) = (new SqliteConnectionStringBuilder(extra.ConnectionString).DataSource,
            new SqliteConnectionStringBuilder(other.ConnectionString).DataSource);
        await using var pool = DbConnectionPool.Create<SqliteConnection>(
            () =>
            {
                var connection = new SqliteConnection(file.ConnectionString);
                connection.StateChange += (_, change) =>
                {
                    if (change.CurrentState == System.Data.ConnectionState.Open)
                    {
                        Execute(
                            connection,
                            $"ATTACH '{extraPath}' AS extra; CREATE TEMP TABLE mine (answer INT); INSERT INTO mine VALUES (42)");
                    }
                };
                return connection;
            },
            new DbPoolOptions { Pool = new ResourcePoolOptions { MaxSize = 1 }, Reset = SessionReset.Sqlite });
        SqliteConnection first;
        await using (var lease = await pool.RentAsync(TestContext.Current.CancellationToken))
        {
            first = lease.Value;
            Execute(first, string.Format(CultureInfo.InvariantCulture, leave, otherPath, extraPath));
        }

        await using (var lease = await pool.RentAsync(TestContext.Current.CancellationToken))
        {
            Assert.Equal(isKept, first == lease.Value);
            Assert.Equal(
                extraPath,
                Read(lease.Value, "SELECT group_concat(file) FROM pragma_database_list WHERE name NOT IN ('main', 'temp')"));
            Assert.Equal(42L, Read(lease.Value, "SELECT answer FROM temp.mine"));
            Assert.Equal(1L, Read(lease.Value, "SELECT count(*) FROM sqlite_temp_master"));
            Assert.Equal(1L, Read(lease.Value, "SELECT last_insert_rowid()"));
        }
    }

    // WAL belongs to the database, not to the connection.
    [Theory]
    [InlineData("CREATE TABLE t (id INTEGER PRIMARY KEY); INSERT INTO t VALUES (7)")]
    [InlineData("PRAGMA journal_mode = WAL; CREATE TABLE t (id INTEGER PRIMARY KEY); INSERT INTO t VALUES (7)")]
    [InlineData(
        "PRAGMA page_size = 16384; CREATE TABLE t (id INTEGER PRIMARY KEY); INSERT INTO t VALUES (7); PRAGMA user_version = 3; " +
        "VACUUM")]
    [InlineData(
        "CREATE TEMP TABLE scratch (id INT); INSERT INTO scratch VALUES (1); DROP TABLE scratch; CREATE TABLE t (id INTEGER " +
        "PRIMARY KEY); INSERT INTO t VALUES (7)")]
    public async Task Ordinary_statements_keep_the_connection(string work)
    {
        using var file = new SqliteFile();
        await using var pool = NewPool(SessionReset.Sqlite, file.ConnectionString);
        SqliteConnection first;
        await using (var lease = await pool.RentAsync(TestContext.Current.CancellationToken))
        {
            first = lease.Value;
            Execute(first, work);
            Assert.Equal(7L, Read(first, "SELECT last_insert_rowid()"));
        }

        for (var i = 0; i < 2; i++)
        {
            await using var lease = await pool.RentAsync(TestContext.Current.CancellationToken);
            Assert.Same(first, lease.Value);
            Assert.Equal((7L, 0L), (Read(first, "SELECT max(id) FROM t"), Read(first, "SELECT last_insert_rowid()")));
        }
    }

    // A reader holds its read transaction: the next user of the connection would not see the rows of others, and could not write.
    [Fact]
    public async Task A_reader_left_open_on_a_leased_connection_costs_the_connection_and_not_its_next_user()
    {
        using var file = new SqliteFile();
        await using var pool = NewPool(SessionReset.Sqlite, file.ConnectionString);
        DbDataReader reader;
        await using (var lease = await pool.RentAsync(TestContext.Current.CancellationToken))
        {
            Execute(
                lease.Value, "PRAGMA journal_mode = WAL; CREATE TABLE t (id INTEGER PRIMARY KEY); INSERT INTO t VALUES (1), (2)");
            var command = lease.Value.CreateCommand();
            command.CommandText = "SELECT id FROM t";
            reader = await command.ExecuteReaderAsync(TestContext.Current.CancellationToken);
            Assert.True(await reader.ReadAsync(TestContext.Current.CancellationToken));
        }

        await using (await pool.RentAsync(TestContext.Current.CancellationToken))
        {
            await using var other = new SqliteConnection(file.ConnectionString);
            await other.OpenAsync(TestContext.Current.CancellationToken);
            Execute(other, "INSERT INTO t VALUES (3)");
        }

        await using (var lease = await pool.RentAsync(TestContext.Current.CancellationToken))
        {
            Assert.Equal(3L, Read(lease.Value, "SELECT count(*) FROM t"));
            Execute(lease.Value, "INSERT INTO t VALUES (4)");
        }

        Assert.Throws<InvalidOperationException>(() => reader.Read());
        Assert.Equal(2, pool.GetStatistics().Created);
    }

    [Fact]
    public async Task The_count_of_changed_rows_stays()
    {
        using var file = new SqliteFile();
        await using var source = NewSource(file, SessionReset.Sqlite);
        await using (var connection = await source.OpenConnectionAsync(TestContext.Current.CancellationToken))
        {
            Execute(connection, "CREATE TABLE t (id INTEGER PRIMARY KEY); INSERT INTO t VALUES (1), (2), (3)");
        }

        await using (var connection = await source.OpenConnectionAsync(TestContext.Current.CancellationToken))
        {
            Execute(connection, "UPDATE t SET id = id + 10");
        }

        await using var next = await source.OpenConnectionAsync(TestContext.Current.CancellationToken);
        Assert.Equal(3L, Read(next, "SELECT changes()"));
    }

    // The provider opens the stream with the rowid, and closing the reader does not close it.
    [Fact]
    public async Task A_stream_of_a_column_that_was_kept_costs_the_connection_and_not_its_next_user()
    {
        using var file = new SqliteFile();
        await using var source = NewSource(file, SessionReset.Sqlite);
        await using (var connection = await source.OpenConnectionAsync(TestContext.Current.CancellationToken))
        {
            Execute(connection, "PRAGMA journal_mode = WAL");
            Execute(connection, "CREATE TABLE t (id INTEGER PRIMARY KEY, data BLOB)");
            Execute(connection, "INSERT INTO t VALUES (1, x'0102'), (2, x'0304')");
        }

        Stream kept;
        await using (var connection = await source.OpenConnectionAsync(TestContext.Current.CancellationToken))
        {
            await using var command = connection.CreateCommand();
            command.CommandText = "SELECT id, data FROM t";
            await using var reader = await command.ExecuteReaderAsync(TestContext.Current.CancellationToken);
            Assert.True(await reader.ReadAsync(TestContext.Current.CancellationToken));
            kept = reader.GetStream(1);
        }

        await using (await source.OpenConnectionAsync(TestContext.Current.CancellationToken))
        {
            await using var other = new SqliteConnection(file.ConnectionString);
            await other.OpenAsync(TestContext.Current.CancellationToken);
            Execute(other, "INSERT INTO t VALUES (3, NULL)");
        }

        await using (var connection = await source.OpenConnectionAsync(TestContext.Current.CancellationToken))
        {
            Assert.Equal(3L, Read(connection, "SELECT count(*) FROM t"));
            Execute(connection, "INSERT INTO t VALUES (4, NULL)");
        }

        Assert.Equal(2, source.GetStatistics().Created);
        await kept.DisposeAsync();
    }

    // The wrappers see the text: this lease has only inserted, which needs a reset anyway.
    [Theory]
    [InlineData("INSERT INTO t VALUES (7)")]
    [InlineData("replace into t values (7)")]
    [InlineData("WITH one AS (SELECT 7) INSERT INTO t SELECT * FROM one")]
    public async Task The_rowid_of_an_insert_does_not_reach_the_next_user_of_a_data_source(string insert)
    {
        using var file = new SqliteFile();
        await using var source = PooledDataSource.Create(
            SqliteFactory.Instance, file.ConnectionString.Replace(";Pooling=false", "", StringComparison.Ordinal),
            new DbPoolOptions { Pool = new ResourcePoolOptions { MaxSize = 1 } });
        await using (var connection = await source.OpenConnectionAsync(TestContext.Current.CancellationToken))
        {
            Execute(connection, "CREATE TABLE t (id INTEGER PRIMARY KEY)");
        }

        await using (var connection = await source.OpenConnectionAsync(TestContext.Current.CancellationToken))
        {
            Execute(connection, insert);
            Assert.Equal(7L, Read(connection, "SELECT last_insert_rowid()"));
        }

        await using (var connection = await source.OpenConnectionAsync(TestContext.Current.CancellationToken))
        {
            Assert.Equal(0L, Read(connection, "SELECT last_insert_rowid()"));
        }

        Assert.Equal(1, source.GetStatistics().Created);
    }

    // Each lease leaves something else, so that neither the short reset nor the full one may rely on what an earlier lease did.
    [Fact]
    public async Task A_data_source_undoes_rows_transactions_and_settings_in_any_order()
    {
        string[] works =
        [
            "INSERT INTO t (name) VALUES ('a')",
            "BEGIN",
            "BEGIN|INSERT INTO t (name) VALUES ('not committed')",
            "PRAGMA foreign_keys = OFF",
            "INSERT INTO t (name) VALUES ('a')|PRAGMA foreign_keys = OFF",
            "PRAGMA foreign_keys = OFF|INSERT INTO t (name) VALUES ('a')",
            "SAVEPOINT here|CREATE TEMP TABLE left_behind (id int)|RELEASE here",
            "BEGIN|INSERT INTO t (name) VALUES ('a')|COMMIT",
        ];
        const string Look =
            "SELECT (SELECT * FROM pragma_foreign_keys) || ' ' || last_insert_rowid() || ' ' || (SELECT count(*) FROM " +
            "sqlite_temp_master) || ' ' || (SELECT count(*) FROM t WHERE name <> 'a')";
        using var file = new SqliteFile();
        await using var source = NewSource(file, SessionReset.Sqlite);
        await using (var connection = await source.OpenConnectionAsync(TestContext.Current.CancellationToken))
        {
            Execute(connection, "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT)");
        }

        for (var i = 0; i < works.Length * works.Length; i++)
        {
            await using var connection = await source.OpenConnectionAsync(TestContext.Current.CancellationToken);
            Assert.Equal("1 0 0 0", Read(connection, Look));
            foreach (var statement in works[i % 2 == 0 ? i / 2 % works.Length : i / works.Length].Split('|'))
            {
                Execute(connection, statement);
            }
        }

        Assert.Equal(1, source.GetStatistics().Created);
    }

    [Theory]
    [InlineData(IsolationLevel.Unspecified)]
    [InlineData(IsolationLevel.Serializable)]
    [InlineData(IsolationLevel.ReadUncommitted)]
    public async Task A_transaction_of_a_data_source_leaves_nothing_at_any_level(IsolationLevel level)
    {
        using var file = new SqliteFile();
        await using var source = NewSource(file, SessionReset.Sqlite);
        foreach (var ends in new[] { true, false, true })
        {
            await using var connection = await source.OpenConnectionAsync(TestContext.Current.CancellationToken);
            Assert.Equal("0 0", Read(connection, "SELECT (SELECT * FROM pragma_read_uncommitted) || ' ' || last_insert_rowid()"));
            var transaction = await connection.BeginTransactionAsync(level, TestContext.Current.CancellationToken);
            Execute(connection, "CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY)");
            Execute(connection, "INSERT INTO t VALUES (NULL)");
            if (ends)
            {
                await transaction.CommitAsync(TestContext.Current.CancellationToken);
            }
        }
    }

    // RollbackOnly undoes nothing that a query or a change of rows could leave in SQLite or PostgreSQL.
    [Theory]
    [InlineData("SELECT 1", false)]
    [InlineData("UPDATE t SET id = 1", false)]
    [InlineData("INSERT INTO t VALUES (NULL)", false)]
    [InlineData("BEGIN", true)]
    [InlineData("SELECT 1; BEGIN", true)]
    public async Task A_rollback_is_made_only_where_a_transaction_may_be_open(string statement, bool needsReset)
    {
        using var file = new SqliteFile();
        await using var source = NewSource(file, SessionReset.RollbackOnly);
        PhysicalConnection physical;
        await using (var connection = await source.OpenConnectionAsync(TestContext.Current.CancellationToken))
        {
            Execute(connection, "CREATE TABLE t (id INTEGER PRIMARY KEY)");
        }

        await using (var connection = await source.OpenConnectionAsync(TestContext.Current.CancellationToken))
        {
            Execute(connection, statement);
            physical = ((PooledConnection)connection).Physical!;
            Assert.Equal(needsReset, physical.NeedsReset);
        }

        await using (var connection = await source.OpenConnectionAsync(TestContext.Current.CancellationToken))
        {
            Assert.Same(physical, ((PooledConnection)connection).Physical);
            await using var transaction = await connection.BeginTransactionAsync(TestContext.Current.CancellationToken);
        }
    }

    // Only the user can dispose the provider's transaction object, and the connection is useless with it: it is destroyed.
    [Fact]
    public async Task A_transaction_object_left_open_is_rolled_back_and_does_not_block_others()
    {
        using var file = new SqliteFile();
        foreach (var reset in new[] { SessionReset.Sqlite, SessionReset.RollbackOnly })
        {
            await using var pool = DbConnectionPool.Create<SqliteConnection>(
                () => new SqliteConnection(file.ConnectionString),
                new DbPoolOptions { Pool = new ResourcePoolOptions { MaxSize = 1 }, Reset = reset });
            await using (var lease = await pool.RentAsync(TestContext.Current.CancellationToken))
            {
                lease.Value.BeginTransaction();
                Execute(lease.Value, "CREATE TABLE not_committed (id int)");
            }

            await using (var lease = await pool.RentAsync(TestContext.Current.CancellationToken))
            {
                Assert.Equal(0L, Read(lease.Value, "SELECT count(*) FROM sqlite_master"));
                using var transaction = lease.Value.BeginTransaction();
                transaction.Commit();
            }
        }
    }

    [Fact]
    public async Task Without_a_reset_session_state_reaches_the_next_lease()
    {
        await using var pool = NewPool(SessionReset.None);
        await using (var lease = await pool.RentAsync(TestContext.Current.CancellationToken))
        {
            Execute(lease.Value, "PRAGMA foreign_keys = OFF");
        }

        await using (var lease = await pool.RentAsync(TestContext.Current.CancellationToken))
        {
            Assert.Equal(0L, Read(lease.Value, "PRAGMA foreign_keys"));
        }
    }

    /// <summary>Checks that what one lease leaves is reset in the next, and returns whether the connection was kept.</summary>
    private static async Task<bool> ResetsAndKeepsAsync(
        DbConnectionPool<SqliteConnection> pool, (string Leave, string Look) leak)
    {
        SqliteConnection first;
        object? before;
        await using (var lease = await pool.RentAsync(TestContext.Current.CancellationToken))
        {
            first = lease.Value;
            before = Read(first, leak.Look);
            Execute(first, leak.Leave);
            Assert.NotEqual(before, Read(first, leak.Look));
        }

        await using var next = await pool.RentAsync(TestContext.Current.CancellationToken);
        Assert.Equal(before, Read(next.Value, leak.Look));
        return first == next.Value;
    }

    private static PooledDataSource NewSource(SqliteFile file, SessionReset reset) => PooledDataSource.Create(
        SqliteFactory.Instance,
        file.ConnectionString.Replace(";Pooling=false", "", StringComparison.Ordinal) + ";Foreign Keys=true",
        new DbPoolOptions { Pool = new ResourcePoolOptions { MaxSize = 1 }, Reset = reset });

    private static DbConnectionPool<SqliteConnection> NewPool(
        SessionReset reset, string connectionString = "Data Source=:memory:;Pooling=false") =>
        new(() => new SqliteConnection(connectionString),
            new DbPoolOptions { Pool = new ResourcePoolOptions { MaxSize = 1 }, Reset = reset });

    private static void Execute(DbConnection connection, string sql)
    {
        using var command = connection.CreateCommand();
        command.CommandText = sql;
        command.ExecuteNonQuery();
    }

    private static object? Read(DbConnection connection, string sql)
    {
        using var command = connection.CreateCommand();
        command.CommandText = sql;
        return command.ExecuteScalar();
    }
}
