using Microsoft.Data.Sqlite;
using Poolhouse.Data.Tests.Servers;
using Poolhouse.Resources;

namespace Poolhouse.Data.Tests.Resets;

/// <summary>Promise I21 in SQLite: what one lease leaves in its connection, the next does not find.</summary>
public sealed class SqliteSessions
{
    /// <summary>What a lease does, and the query whose answer must be the same as on a new connection.</summary>
    private static readonly Dictionary<string, (string Leave, string Look)> _leaks = new(StringComparer.Ordinal)
    {
        ["transaction by SQL"] = ("BEGIN; CREATE TABLE not_committed (id int)", "SELECT count(*) FROM sqlite_master WHERE name = 'not_committed'"),
        ["savepoint"] = ("SAVEPOINT here; CREATE TABLE not_released (id int)", "SELECT count(*) FROM sqlite_master WHERE name = 'not_released'"),
        ["attached database"] = ("ATTACH ':memory:' AS \"odd \"\"name\"", "SELECT count(*) FROM pragma_database_list WHERE name NOT IN ('main', 'temp')"),
        ["temporary table"] = ("CREATE TEMP TABLE left_behind (id int); CREATE INDEX temp.i ON left_behind (id)", "SELECT count(*) FROM sqlite_temp_master"),
        ["temporary view and trigger"] = (
            "CREATE TEMP TABLE t (id int); CREATE TEMP VIEW v AS SELECT * FROM t; CREATE TEMP TRIGGER g AFTER INSERT ON t BEGIN DELETE FROM t; END",
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
        ["reverse_unordered_selects"] = ("PRAGMA reverse_unordered_selects = ON", "SELECT * FROM pragma_reverse_unordered_selects"),
    };

    public static TheoryData<string> Leaks => new(_leaks.Keys);

    [Theory]
    [MemberData(nameof(Leaks))]
    public async Task What_one_lease_leaves_behind_is_gone_in_the_next(string leak)
    {
        var (leave, look) = _leaks[leak];
        await using var pool = NewPool(SessionReset.Sqlite);
        SqliteConnection first;
        object? before;
        await using (var lease = await pool.RentAsync(TestContext.Current.CancellationToken))
        {
            first = lease.Value;
            before = Read(first, look);
            Execute(first, leave);
            Assert.NotEqual(before, Read(first, look));
        }

        await using (var lease = await pool.RentAsync(TestContext.Current.CancellationToken))
        {
            Assert.Same(first, lease.Value);
            Assert.Equal(before, Read(first, look));
        }
    }

    // Nobody but the user can dispose the provider's transaction object, and the connection is useless with it: it is destroyed.
    [Fact]
    public async Task A_transaction_object_left_open_is_rolled_back_and_hinders_nobody()
    {
        using var file = new SqliteFile();
        foreach (var reset in new[] { SessionReset.Sqlite, SessionReset.RollbackOnly })
        {
            await using var pool = new DbConnectionPool<SqliteConnection>(
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
    public async Task Without_a_reset_the_next_lease_finds_what_was_left()
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

    private static DbConnectionPool<SqliteConnection> NewPool(SessionReset reset) =>
        new(() => new SqliteConnection("Data Source=:memory:;Pooling=false"), new DbPoolOptions { Pool = new ResourcePoolOptions { MaxSize = 1 }, Reset = reset });

#pragma warning disable CA2100 // The statements are constants of this file.
    private static void Execute(SqliteConnection connection, string sql)
    {
        using var command = connection.CreateCommand();
        command.CommandText = sql;
        command.ExecuteNonQuery();
    }

    private static object? Read(SqliteConnection connection, string sql)
    {
        using var command = connection.CreateCommand();
        command.CommandText = sql;
        return command.ExecuteScalar();
    }
#pragma warning restore CA2100
}
