using System.Data.Common;
using Dapper;
using Microsoft.Data.SqlClient;
using Poolhouse.Data.Tests.Faults;
using Poolhouse.Tool.Servers.Tds;

namespace Poolhouse.Data.Tests.SqlServer;

/// <summary>
/// What SqlClient's own pool does on the model of SQL Server. The server's part of it is documented behavior; the driver's is a
/// fact with which a pool of Poolhouse is compared.
/// </summary>
public sealed class DriversOwnPool : IAsyncDisposable
{
    private readonly TdsServer _server = TdsServer.Start();

    public async ValueTask DisposeAsync()
    {
        await using var connection = new SqlConnection(_server.ConnectionString);
        SqlConnection.ClearPool(connection);
        await _server.DisposeAsync();
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_use_is_one_request_and_a_reuse_is_one_with_a_reset(bool async)
    {
        for (var i = 0; i < 5; i++)
        {
            await using var connection = new SqlConnection(_server.ConnectionString);
            if (async)
            {
                await connection.OpenAsync(Token);
                Assert.Equal(1, await connection.ExecuteScalarAsync<int>("SELECT 1"));
            }
            else
            {
                connection.Open();
                Assert.Equal(1, connection.ExecuteScalar<int>("SELECT 1"));
            }
        }

        Assert.Equal((5, 4, 1), (_server.Requests, _server.Resets, _server.Logins));
    }

    [Fact]
    public async Task The_reset_is_sent_once_for_each_use()
    {
        for (var i = 0; i < 2; i++)
        {
            await using var connection = await OpenAsync();
            await connection.ExecuteScalarAsync("SELECT 1");
            await connection.ExecuteScalarAsync("SELECT @@SPID");
        }

        Assert.Equal((4, 1), (_server.Requests, _server.Resets));
    }

    [Theory]
    [InlineData("BEGIN TRANSACTION", "transaction")]
    [InlineData("SET XACT_ABORT ON", "XACT_ABORT")]
    [InlineData("SET NOCOUNT ON", "NOCOUNT")]
    [InlineData("SET LOCK_TIMEOUT 5", "LOCK_TIMEOUT")]
    [InlineData("SET IMPLICIT_TRANSACTIONS ON", "IMPLICIT_TRANSACTIONS")]
    [InlineData("SET LANGUAGE German", "LANGUAGE")]
    [InlineData("SET NOEXEC ON", "NOEXEC")]
    [InlineData("SET PARSEONLY ON", "PARSEONLY")]
    [InlineData("SET FMTONLY ON", "FMTONLY")]
    [InlineData("SET CONTEXT_INFO 0x0102", "context info")]
    [InlineData("EXEC sp_set_session_context N'tenant', 7", "session context")]
    [InlineData("CREATE TABLE #mine (x INT)", "#mine")]
    [InlineData("SELECT 1 AS x INTO #mine", "#mine")]
    [InlineData("DECLARE mine CURSOR GLOBAL FOR SELECT 1; OPEN mine", "cursor mine")]
    [InlineData("EXEC sp_getapplock @Resource = 'mine', @LockMode = 'Exclusive', @LockOwner = 'Session'", "lock mine")]
    [InlineData("USE warehouse", "database")]
    public async Task State_stays_until_the_next_use_and_is_then_reset(string statement, string leftover)
    {
        await using (var connection = await OpenAsync())
        {
            await connection.ExecuteAsync(statement);
        }

        Assert.Equal([leftover], Leftovers);
        await using (var connection = await OpenAsync())
        {
            Assert.Equal("shop", connection.Database);
            Assert.Equal("shop", await connection.ExecuteScalarAsync<string>("SELECT DB_NAME()"));
        }

        Assert.Empty(Leftovers);
        Assert.Equal(1, _server.Logins);
    }

    [Fact]
    public async Task The_isolation_level_reaches_the_next_user()
    {
        await using (var connection = await OpenAsync())
        {
            await connection.ExecuteAsync("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE");
        }

        await using var next = await OpenAsync();
        Assert.Equal(4, await next.ExecuteScalarAsync<int>(
            "SELECT transaction_isolation_level FROM sys.dm_exec_sessions WHERE session_id = @@SPID"));
    }

    [Fact]
    public async Task A_changed_user_fails_the_next_user()
    {
        await using (var connection = await OpenAsync())
        {
            await connection.ExecuteAsync("EXECUTE AS USER = 'guest'");
            Assert.Equal("guest", await connection.ExecuteScalarAsync<string>("SELECT USER_NAME()"));
        }

        await using var next = await OpenAsync();
        var failure = await Assert.ThrowsAsync<SqlException>(() => next.ExecuteAsync("SELECT 1"));
        Assert.Equal((18059, 20), (failure.Number, failure.Class));
        await Patience.UntilAsync(() => new ValueTask<int>(_server.Sessions.Count), count => count == 0, "the session has ended");
    }

    [Theory]
    [InlineData("SET NOEXEC ON", "SET NOEXEC OFF")]
    [InlineData("SET PARSEONLY ON", "SET PARSEONLY OFF")]
    [InlineData("SET FMTONLY ON", "SET FMTONLY OFF")]
    public async Task Statements_that_are_only_compiled_succeed_and_have_no_effect(string on, string off)
    {
        await using var connection = await OpenAsync();
        await connection.ExecuteAsync("CREATE TABLE cups (name VARCHAR(20))");
        await connection.ExecuteAsync(on);
        await connection.ExecuteAsync("INSERT INTO cups VALUES (@name)", new { name = "mocha" });
        await connection.ExecuteAsync(off);
        Assert.Equal(0, await connection.ExecuteScalarAsync<int>("SELECT COUNT(*) FROM cups"));
    }

    [Fact]
    public async Task The_procedure_of_the_reset_can_be_called_and_is_unknown_in_a_batch()
    {
        await using var connection = await OpenAsync();
        await connection.ExecuteAsync("SET XACT_ABORT ON");
        await connection.ExecuteAsync("sp_reset_connection", commandType: System.Data.CommandType.StoredProcedure);
        Assert.Empty(Leftovers);
        var failure = await Assert.ThrowsAsync<SqlException>(() => connection.ExecuteAsync("EXEC sp_reset_connection"));
        Assert.Equal(208, failure.Number);
    }

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    private IReadOnlyList<string> Leftovers => Assert.Single(_server.Sessions).Leftovers;

    private async Task<DbConnection> OpenAsync()
    {
        var connection = new SqlConnection(_server.ConnectionString);
        await connection.OpenAsync(Token);
        return connection;
    }
}
