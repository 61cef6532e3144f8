namespace Poolhouse.Data.Tests.Resets;

/// <summary>Which statements need no reset in SQLite. In doubtful cases a reset is done.</summary>
public sealed class ResetTriggers
{
    [Theory]
    [InlineData("SELECT 1")]
    [InlineData("  select * from t where a = 'b';  ")]
    [InlineData("UPDATE t SET a = 1")]
    [InlineData("DELETE FROM t")]
    [InlineData("WITH n AS (SELECT 1) SELECT * FROM n")]
    public void Queries_and_row_changes_need_no_reset(string statement) =>
        Assert.False(SessionReset.Sqlite.MayLeaveTraces(statement));

    [Theory]
    [InlineData("")]
    [InlineData("PRAGMA query_only = ON")]
    [InlineData("INSERT INTO t VALUES (1)")]
    [InlineData("replace into t values (1)")]
    [InlineData("WITH n AS (SELECT 1) INSERT INTO t SELECT * FROM n")]
    [InlineData("BEGIN")]
    [InlineData("SAVEPOINT s")]
    [InlineData("ATTACH ':memory:' AS other")]
    [InlineData("CREATE TEMP TABLE t (a)")]
    [InlineData("SELECT 1; BEGIN")]
    [InlineData("SELECT ';'")]
    [InlineData("-- a comment\nSELECT 1")]
    [InlineData("SELECT load_extension('x')")]
    [InlineData("SELECT * FROM pragma_foreign_keys")]
    public void Any_other_statement_needs_a_reset(string statement) => Assert.True(SessionReset.Sqlite.MayLeaveTraces(statement));

    // The rule: the pragmas are read again only after a statement that could have changed one.
    [Theory]
    [InlineData("INSERT INTO t VALUES (1)")]
    [InlineData("WITH n AS (SELECT 1) REPLACE INTO t SELECT * FROM n;")]
    [InlineData("BEGIN")]
    [InlineData(" begin immediate; ")]
    [InlineData("COMMIT")]
    [InlineData("END TRANSACTION")]
    [InlineData("rollback to here")]
    [InlineData("SAVEPOINT here")]
    [InlineData("RELEASE here")]
    public void After_changes_of_rows_and_transactions_only_those_are_undone(string statement) =>
        Assert.False(SessionReset.Sqlite.MayChangeSession(statement));

    [Theory]
    [InlineData("")]
    [InlineData("PRAGMA query_only = ON")]
    [InlineData("BEGIN; PRAGMA query_only = ON")]
    [InlineData("BEGINNING")]
    [InlineData("INSERT INTO t VALUES (1); PRAGMA query_only = ON")]
    [InlineData("INSERT INTO t SELECT load_extension('x')")]
    [InlineData("INSERT INTO t SELECT * FROM pragma_foreign_keys")]
    [InlineData("CREATE TEMP TABLE t (a)")]
    [InlineData("-- a comment\nBEGIN")]
    public void After_anything_else_the_whole_session_is_reset(string statement) =>
        Assert.True(SessionReset.Sqlite.MayChangeSession(statement));

    [Fact]
    public void Calls_of_PostgreSQL_functions_need_a_reset() => Assert.True(SessionReset.PostgreSql.MayLeaveTraces("SELECT 1"));
}
