using System.Data;
using System.Transactions;
using Dapper;
using Microsoft.Data.SqlClient;
using Poolhouse.Data.Tests.Faults;
using IsolationLevel = System.Data.IsolationLevel;

namespace Poolhouse.Data.Tests.SqlServer;

/// <summary>Promise I21 on SQL Server: what a user leaves behind, and the next one does not find, at no moment.</summary>
public sealed class Leftovers : ModelServerTests
{
    public static TheoryData<string> Statements =>
    [
        "BEGIN TRANSACTION",
        "BEGIN TRANSACTION; SELECT 1 AS x INTO #mine",
        "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE",
        "SELECT 1 SET TRANSACTION ISOLATION LEVEL SNAPSHOT",
        "SET XACT_ABORT ON",
        "SET NOCOUNT ON",
        "SET LOCK_TIMEOUT 5",
        "SET IMPLICIT_TRANSACTIONS ON",
        "SET LANGUAGE German",
        "SET NOEXEC ON",
        "SET PARSEONLY ON",
        "SET FMTONLY ON",
        "SET SHOWPLAN_ALL ON",
        "SET CONTEXT_INFO 0x0102",
        "EXEC sp_set_session_context N'tenant', 7",
        "CREATE TABLE #mine (x INT)",
        "SELECT 1 AS x INTO #mine",
        "DECLARE mine CURSOR GLOBAL FOR SELECT 1; OPEN mine",
        "EXEC sp_getapplock @Resource = 'mine', @LockMode = 'Exclusive', @LockOwner = 'Session'",
        "USE warehouse",
    ];

    [Theory]
    [MemberData(nameof(Statements))]
    public async Task The_next_user_of_a_data_source_finds_nothing(string statement)
    {
        await using var source = CreateSource();
        await using (var connection = await source.OpenConnectionAsync(Token))
        {
            await connection.ExecuteAsync(statement);
        }

        await using (var next = await source.OpenConnectionAsync(Token))
        {
            Assert.Equal("shop", next.Database);
            await AssertCleanAsync(next);
        }

        Assert.Equal(1, Server.Logins);
    }

    [Theory]
    [MemberData(nameof(Statements))]
    public async Task The_next_user_of_a_lease_finds_nothing(string statement)
    {
        await using var pool = CreatePool();
        await using (var lease = await pool.RentAsync(Token))
        {
            await lease.Value.ExecuteAsync(statement);
        }

        await using (var next = await pool.RentAsync(Token))
        {
            await AssertCleanAsync(next.Value);
        }

        Assert.Equal(1, Server.Logins);
    }

    // Locks of an abandoned transaction are released, and temporary tables dropped, while the connection is idle.
    [Theory]
    [MemberData(nameof(Statements))]
    public async Task A_session_is_clean_while_it_is_idle(string statement)
    {
        await using var source = CreateSource();
        await using (var connection = await source.OpenConnectionAsync(Token))
        {
            await connection.ExecuteAsync(statement);
        }

        await SettleAsync(source.GetStatistics);
        string[] tolerated = statement.StartsWith("SET NOCOUNT", StringComparison.Ordinal) ? ["NOCOUNT"] : [];
        Assert.Equal(tolerated, Assert.Single(Server.Sessions).Leftovers);
        Assert.Equal(1, Server.Logins);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task An_impersonated_user_costs_a_session_and_no_error(bool leases)
    {
        await using var source = CreateSource();
        await using var pool = CreatePool();
        if (leases)
        {
            await using var lease = await pool.RentAsync(Token);
            await lease.Value.ExecuteAsync("EXECUTE AS USER = 'guest'");
        }
        else
        {
            await using var connection = await source.OpenConnectionAsync(Token);
            await connection.ExecuteAsync("EXECUTE AS USER = 'guest'");
        }

        if (leases)
        {
            await using var next = await pool.RentAsync(Token);
            await AssertCleanAsync(next.Value);
        }
        else
        {
            await using var next = await source.OpenConnectionAsync(Token);
            await AssertCleanAsync(next);
        }

        Assert.Equal(2, Server.Logins);
    }

    [Theory]
    [InlineData(IsolationLevel.Unspecified, true)]
    [InlineData(IsolationLevel.Serializable, true)]
    [InlineData(IsolationLevel.Snapshot, true)]
    [InlineData(IsolationLevel.Unspecified, false)]
    [InlineData(IsolationLevel.Serializable, false)]
    public async Task A_transaction_of_the_provider_leaves_nothing(IsolationLevel level, bool commits)
    {
        await using var source = CreateSource();
        await using (var connection = await source.OpenConnectionAsync(Token))
        {
            await connection.ExecuteAsync("CREATE TABLE cups (name VARCHAR(20))");
            var transaction = await connection.BeginTransactionAsync(level, Token);
            await connection.ExecuteAsync("INSERT INTO cups VALUES ('mocha')", transaction: transaction);
            if (commits)
            {
                await transaction.CommitAsync(Token);
            }
        }

        await SettleAsync(source.GetStatistics);
        Assert.Empty(Assert.Single(Server.Sessions).Leftovers);
        await using (var next = await source.OpenConnectionAsync(Token))
        {
            Assert.Equal(commits ? 1 : 0, await next.ExecuteScalarAsync<int>("SELECT COUNT(*) FROM cups"));
            await AssertCleanAsync(next);
        }

        Assert.Equal(1, Server.Logins);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_scope_leaves_nothing(bool completes)
    {
        await using var source = CreateSource();
        await using (var connection = await source.OpenConnectionAsync(Token))
        {
            await connection.ExecuteAsync("CREATE TABLE cups (name VARCHAR(20))");
        }

        using (var scope = new TransactionScope(TransactionScopeAsyncFlowOption.Enabled))
        {
            int first;
            await using (var connection = await source.OpenConnectionAsync(Token))
            {
                first = await connection.ExecuteScalarAsync<int>("SELECT @@SPID");
                await connection.ExecuteAsync("INSERT INTO cups VALUES ('mocha')");
            }

            await using (var again = await source.OpenConnectionAsync(Token))
            {
                Assert.Equal(first, await again.ExecuteScalarAsync<int>("SELECT @@SPID"));
                Assert.Equal(1, await again.ExecuteScalarAsync<int>("SELECT COUNT(*) FROM cups"));
            }

            if (completes)
            {
                scope.Complete();
            }
        }

        await using (var next = await source.OpenConnectionAsync(Token))
        {
            Assert.Equal(completes ? 1 : 0, await next.ExecuteScalarAsync<int>("SELECT COUNT(*) FROM cups"));
            await AssertCleanAsync(next);
        }

        Assert.Equal(1, Server.Logins);
    }

    [Fact]
    public async Task Settings_of_a_leased_connection_do_not_reach_the_next_lease()
    {
        await using var pool = CreatePool();
        SqlConnection first;
        await using (var lease = await pool.RentAsync(Token))
        {
            first = lease.Value;
            first.FireInfoMessageEventOnUserErrors = true;
            first.StatisticsEnabled = true;
            first.RetryLogicProvider = SqlConfigurableRetryFactory.CreateFixedRetryProvider(new SqlRetryLogicOption
            {
                NumberOfTries = 3,
                DeltaTime = TimeSpan.FromSeconds(1),
            });
            first.InfoMessage += (_, _) => { };
            first.StateChange += (_, _) => { };
            await first.ExecuteAsync("SELECT 1");
        }

        await using (var lease = await pool.RentAsync(Token))
        {
            var next = lease.Value;
            Assert.NotSame(first, next);
            Assert.Equal((ConnectionState.Closed, ConnectionState.Open), (first.State, next.State));
            Assert.Equal((false, false), (next.FireInfoMessageEventOnUserErrors, next.StatisticsEnabled));
            Assert.NotSame(first.RetryLogicProvider, next.RetryLogicProvider);
            await Assert.ThrowsAsync<SqlException>(() => next.ExecuteAsync("SELECT * FROM nothing"));
        }

        Assert.Equal(1, Server.Logins);
    }

    [Fact]
    public async Task A_connection_that_was_unwrapped_is_another_object_for_the_next_user()
    {
        await using var source = CreateSource();
        SqlConnection first;
        await using (var connection = await source.OpenConnectionAsync(Token))
        {
            first = connection.Unwrap<SqlConnection>();
            first.FireInfoMessageEventOnUserErrors = true;
            await first.ExecuteAsync("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE");
        }

        await using (var connection = await source.OpenConnectionAsync(Token))
        {
            await AssertCleanAsync(connection);
            Assert.NotSame(first, connection.Unwrap<SqlConnection>());
            Assert.False(connection.Unwrap<SqlConnection>().FireInfoMessageEventOnUserErrors);
        }

        Assert.Equal(1, Server.Logins);
    }

    [Fact]
    public async Task A_user_that_keeps_the_object_of_an_ended_lease_cannot_use_the_session()
    {
        await using var pool = CreatePool();
        SqlConnection kept;
        await using (var lease = await pool.RentAsync(Token))
        {
            kept = lease.Value;
        }

        await using var next = await pool.RentAsync(Token);
        await Assert.ThrowsAnyAsync<InvalidOperationException>(() => kept.ExecuteAsync("SELECT 1"));
        await AssertCleanAsync(next.Value);
    }

    [Fact]
    public async Task ChangeDatabase_is_undone_without_a_login()
    {
        await using var source = CreateSource();
        await using (var connection = await source.OpenConnectionAsync(Token))
        {
            await connection.ChangeDatabaseAsync("warehouse", Token);
            Assert.Equal("warehouse", connection.Database);
        }

        await using (var next = await source.OpenConnectionAsync(Token))
        {
            await AssertCleanAsync(next);
        }

        Assert.Equal(1, Server.Logins);
    }

    [Fact]
    public async Task An_open_reader_leaves_nothing()
    {
        await using var source = CreateSource();
        await using (var connection = await source.OpenConnectionAsync(Token))
        {
            var command = connection.CreateCommand();
            command.CommandText = "SELECT 1 UNION ALL SELECT 2";
            var reader = await command.ExecuteReaderAsync(Token);
            await reader.ReadAsync(Token);
        }

        await using (var next = await source.OpenConnectionAsync(Token))
        {
            await AssertCleanAsync(next);
        }

        Assert.Equal(1, Server.Logins);
    }

    private async Task AssertCleanAsync(IDbConnection next)
    {
        Assert.Equal(1, await next.ExecuteScalarAsync<int>("SELECT 1"));
        Assert.Equal(("shop", 0), (
            await next.ExecuteScalarAsync<string>("SELECT DB_NAME()"), await next.ExecuteScalarAsync<int>("SELECT @@TRANCOUNT")));
        Assert.Equal([], Server.Sessions.Single(session => session.Id == next.ExecuteScalar<int>("SELECT @@SPID")).Leftovers);
    }
}
