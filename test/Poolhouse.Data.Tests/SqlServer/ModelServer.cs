using System.Data;
using System.Diagnostics;
using System.Globalization;
using System.Transactions;
using Dapper;
using Microsoft.Data.SqlClient;
using Poolhouse.Data.Tests.Faults;
using Poolhouse.Tool.Servers.Tds;
using IsolationLevel = System.Data.IsolationLevel;

namespace Poolhouse.Data.Tests.SqlServer;

/// <summary>The model of SQL Server, as SqlClient and Dapper see it.</summary>
public sealed class ModelServer : IAsyncDisposable
{
    private const string CreateCups = "CREATE TABLE cups (id INT IDENTITY PRIMARY KEY, name NVARCHAR(20) NOT NULL UNIQUE)";

    private readonly TdsServer _server = TdsServer.Start();

    public ValueTask DisposeAsync() => _server.DisposeAsync();

    [Fact]
    public async Task Values_of_every_type_come_back()
    {
        await using var connection = await OpenAsync();
        await connection.ExecuteAsync(
            "CREATE TABLE parts (a INT, b BIGINT, c BIT, d FLOAT, e NVARCHAR(50), f DECIMAL(10, 2), g UNIQUEIDENTIFIER, " +
            "h DATETIME2, i VARBINARY(10), j NVARCHAR(MAX), k SMALLINT, l TINYINT, m INT NULL)");
        var part = new Part(
            1, 1L << 40, C: true, 1.5, "Größe", 12.34m, Guid.NewGuid(),
            new DateTime(2026, 11, 29, 4, 50, 0, DateTimeKind.Unspecified),
            [1, 2, 3], new string('x', 9000), 7, 200, M: null);
        await connection.ExecuteAsync("INSERT INTO parts VALUES (@a, @b, @c, @d, @e, @f, @g, @h, @i, @j, @k, @l, @m)", part);

        var read = await connection.QuerySingleAsync<Part>("SELECT * FROM parts");

        Assert.Equivalent(part, read);
    }

    [Fact]
    public async Task Errors_have_number_state_and_class()
    {
        await using var connection = await OpenAsync();
        await connection.ExecuteAsync(CreateCups);
        await connection.ExecuteAsync("INSERT INTO cups (name) VALUES ('mocha')");
        (string Statement, (int, int, int))[] cases =
        [
            ("INSERT INTO cups (name) VALUES ('mocha')", (2601, 1, 14)),
            ("INSERT INTO cups (name) VALUES (NULL)", (515, 1, 16)),
            ("SELECT * FROM absent", (208, 1, 16)),
            ("CREATE TABLE cups (x INT)", (2714, 1, 16)),
            ("RAISERROR('no coffee', 14, 3)", (50000, 3, 14)),
            ("THROW 51000, 'no milk', 1", (51000, 1, 16)),
            ("COMMIT", (3902, 1, 16)),
            ("ROLLBACK", (3903, 1, 16)),
            ("EXEC make_coffee", (2812, 1, 16)),
            ("SELECT @cup", (137, 1, 16)),
        ];
        foreach (var (statement, expected) in cases)
        {
            var failure = await Assert.ThrowsAsync<SqlException>(() => connection.ExecuteAsync(statement));
            Assert.Equal((statement, expected), (statement, (failure.Number, failure.State, failure.Class)));
        }

        Assert.Equal(ConnectionState.Open, connection.State);
    }

    [Fact]
    public async Task A_statement_that_it_does_not_know_is_named()
    {
        await using var connection = await OpenAsync();
        var failure = await Assert.ThrowsAsync<SqlException>(() => connection.ExecuteAsync("DBCC FREEPROCCACHE"));
        Assert.Contains("does not know: DBCC FREEPROCCACHE", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Statements_of_a_batch_need_no_separators()
    {
        await using var connection = await OpenAsync();
        var sum = await connection.ExecuteScalarAsync<int>(
            """
            DECLARE @sum INT = 1, @text NVARCHAR(10)
            CREATE TABLE #numbers (n INT) INSERT INTO #numbers SELECT 4 UNION ALL SELECT 5
            IF EXISTS (SELECT * FROM #numbers) BEGIN SET @sum = @sum + 1 END ELSE SET @sum = 100
            BEGIN TRY INSERT INTO absent VALUES (1) SET @sum = 200 END TRY BEGIN CATCH SET @sum = @sum + 1 END CATCH
            WHILE @sum < 10 SET @sum = @sum + 3
            UPDATE #numbers SET n = n + 1 WHERE n = 5
            SELECT @sum + SUM(n) FROM #numbers
            """);
        Assert.Equal(12 + 10, sum);
    }

    [Fact]
    public async Task A_transaction_of_the_driver_is_committed_or_rolled_back_to_a_savepoint()
    {
        await using var connection = await OpenAsync();
        await connection.ExecuteAsync(CreateCups);
        await using (var transaction = (SqlTransaction)await connection.BeginTransactionAsync(IsolationLevel.Serializable, Token))
        {
            await connection.ExecuteAsync("INSERT INTO cups (name) VALUES ('mocha')", transaction: transaction);
            await transaction.SaveAsync("first", Token);
            await connection.ExecuteAsync("INSERT INTO cups (name) VALUES ('latte')", transaction: transaction);
            await transaction.RollbackAsync("first", Token);
            await transaction.CommitAsync(Token);
        }

        await using (await connection.BeginTransactionAsync(Token))
        {
        }

        Assert.Equal("mocha", await connection.QuerySingleAsync<string>("SELECT name FROM cups"));
        Assert.Equal(0, await connection.ExecuteScalarAsync<int>("SELECT @@TRANCOUNT"));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_scope_decides_about_its_transaction(bool completes)
    {
        await using var observer = await OpenAsync();
        await observer.ExecuteAsync(CreateCups);
        using (var scope = new TransactionScope(TransactionScopeAsyncFlowOption.Enabled))
        {
            await using var connection = await OpenAsync();
            await connection.ExecuteAsync("INSERT INTO cups (name) VALUES ('mocha')");
            if (completes)
            {
                scope.Complete();
            }
        }

        Assert.Equal(completes ? 1 : 0, await observer.ExecuteScalarAsync<int>("SELECT COUNT(*) FROM cups"));
    }

    [Fact]
    public async Task A_reader_waits_for_a_writer_and_gives_up_at_its_lock_timeout()
    {
        await using var writer = await OpenAsync();
        await using var reader = await OpenAsync();
        await writer.ExecuteAsync(CreateCups);
        await writer.ExecuteAsync("BEGIN TRAN; INSERT INTO cups (name) VALUES ('mocha')");
        await reader.ExecuteAsync("SET LOCK_TIMEOUT 0");
        var failure = await Assert.ThrowsAsync<SqlException>(() => reader.ExecuteScalarAsync("SELECT COUNT(*) FROM cups"));
        Assert.Equal(1222, failure.Number);
        await reader.ExecuteAsync("SET LOCK_TIMEOUT -1");
        var count = reader.ExecuteScalarAsync<int>("SELECT COUNT(*) FROM cups");
        await writer.ExecuteAsync("COMMIT");
        Assert.Equal(1, await Patience.WithinAsync(count));
    }

    [Fact]
    public async Task A_prepared_statement_is_prepared_once()
    {
        var texts = Record();
        await using var connection = await OpenAsync();
        await using var command = connection.CreateCommand();
        command.CommandText = "SELECT @x + 1";
        command.Parameters.Add("@x", SqlDbType.Int);
        await command.PrepareAsync(Token);
        for (var i = 0; i < 3; i++)
        {
            command.Parameters[0].Value = i;
            Assert.Equal(i + 1, await command.ExecuteScalarAsync(Token));
        }

        Assert.Equal(["sp_prepexec @x int", "sp_execute", "sp_execute"], texts);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_cancellation_and_a_timeout_leave_the_session_open(bool byTimeout)
    {
        await using var connection = await OpenAsync();
        await using var command = connection.CreateCommand();
        command.CommandText = "WAITFOR DELAY '00:01:00'";
        command.CommandTimeout = byTimeout ? 1 : 0;
        var ended = Task.Run(command.ExecuteNonQuery, CancellationToken.None);
        if (!byTimeout)
        {
            await Patience.UntilAsync(() => new ValueTask<bool>(_server.Sessions[0].IsBusy), isBusy => isBusy, "the statement is running");
            command.Cancel();
        }

        var failure = await Assert.ThrowsAsync<SqlException>(() => Patience.WithinAsync(ended));
        Assert.Equal((byTimeout ? -2 : 0, 11), (failure.Number, failure.Class));
        Assert.Equal(1, await connection.ExecuteScalarAsync<int>("SELECT 1"));
        Assert.Equal((1, 1), (_server.Attentions, _server.Logins));
    }

    [Fact]
    public async Task A_killed_session_fails_in_use_and_is_replaced_while_idle()
    {
        await using var connection = await OpenAsync(recovers: false);
        await using var administrator = await OpenAsync();
        var ended = connection.ExecuteAsync("WAITFOR DELAY '00:01:00'");
        await Patience.UntilAsync(() => new ValueTask<bool>(_server.Sessions[0].IsBusy), isBusy => isBusy, "the statement is running");
        await administrator.ExecuteAsync($"KILL {_server.Sessions[0].Id}");
        var failure = await Assert.ThrowsAsync<SqlException>(() => Patience.WithinAsync(ended));
        Assert.Equal((596, 21), (failure.Number, failure.Class));

        // SqlClient looks for a broken connection unless it was in use in the last 5 ms.
        _server.KillAll();
        var killed = Stopwatch.GetTimestamp();
        await Patience.UntilAsync(
            () => new ValueTask<TimeSpan>(Stopwatch.GetElapsedTime(killed)), time => time.TotalMilliseconds > 50, "50 ms");
        Assert.Equal(1, await administrator.ExecuteScalarAsync<int>("SELECT 1"));
        Assert.Equal(3, _server.Logins);
    }

    [Fact]
    public async Task A_session_with_state_is_not_recovered()
    {
        await using var connection = await OpenAsync();
        await connection.ExecuteAsync("CREATE TABLE #mine (x INT)");
        _server.KillAll();
        await Patience.UntilAsync(() => new ValueTask<int>(_server.Sessions.Count), count => count == 0, "the session has ended");
        await Assert.ThrowsAsync<SqlException>(() => connection.ExecuteAsync("SELECT 1"));
        Assert.Equal(1, _server.Logins);
    }

    [Fact]
    public async Task A_restart_keeps_port_and_tables_and_rolls_back()
    {
        await using var connection = await OpenAsync(recovers: false);
        await connection.ExecuteAsync(CreateCups);
        await connection.ExecuteAsync("INSERT INTO cups (name) VALUES ('mocha')");
        await connection.ExecuteAsync("BEGIN TRAN; INSERT INTO cups (name) VALUES ('latte')");
        _server.Stop();
        await using (var refused = new SqlConnection(_server.ConnectionString + ";Pooling=false;Connect Timeout=1"))
        {
            await Assert.ThrowsAsync<SqlException>(() => refused.OpenAsync(Token));
        }

        _server.StartAgain();
        await using var next = await OpenAsync();
        Assert.Equal("mocha", await next.QuerySingleAsync<string>("SELECT name FROM cups"));
        await Assert.ThrowsAsync<SqlException>(() => connection.ExecuteAsync("SELECT 1"));
    }

    [Fact]
    public async Task Logins_are_checked_and_fail_as_told()
    {
        Assert.Equal(18456, await FailAsync(";Password=wrong"));
        Assert.Equal(4060, await FailAsync(";Database=nowhere"));
        _server.RefuseLogin = _ => new TdsError(40613, "The database is not currently available.", severity: 17);
        Assert.Equal(40613, await FailAsync(""));
        Assert.Equal(0, _server.Logins);
    }

    [Fact]
    public async Task An_access_token_is_accepted()
    {
        string? token = null;
        _server.RefuseLogin = login =>
        {
            token = login.AccessToken;
            return null;
        };
        await using var connection = new SqlConnection($"Server=127.0.0.1,{_server.Port};Encrypt=False;Pooling=False");
        connection.AccessToken = "a token";
        await connection.OpenAsync(Token);
        Assert.Equal("a token", token);
    }

    [Fact]
    public async Task Requests_fail_as_told()
    {
        _server.FailRequest = request => request.Text.Contains("coffee", StringComparison.Ordinal)
            ? new TdsError(1205, "Deadlock.", severity: 13) { State = 45 }
            : request.Text.Contains("tea", StringComparison.Ordinal) ? new TdsError(40197, "Failover.", severity: 20) : null;
        await using var connection = await OpenAsync(recovers: false);
        var deadlock = await Assert.ThrowsAsync<SqlException>(() => connection.ExecuteAsync("SELECT 'coffee'"));
        Assert.Equal((1205, 45, 13), (deadlock.Number, deadlock.State, deadlock.Class));
        Assert.Equal(ConnectionState.Open, connection.State);
        var fatal = await Assert.ThrowsAsync<SqlException>(() => connection.ExecuteAsync("SELECT 'tea'"));
        Assert.Equal((40197, 20), (fatal.Number, fatal.Class));
        Assert.Equal(ConnectionState.Closed, connection.State);
    }

    [Fact]
    public async Task Requests_are_delayed()
    {
        await using var connection = await OpenAsync();
        _server.Delay = TimeSpan.FromMilliseconds(50);
        var started = Stopwatch.GetTimestamp();
        await connection.ExecuteAsync("SELECT 1");
        Assert.True(Stopwatch.GetElapsedTime(started) >= TimeSpan.FromMilliseconds(49));
    }

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    private List<string> Record()
    {
        var texts = new List<string>();
        _server.FailRequest = request =>
        {
            texts.Add(request.Text);
            return null;
        };
        return texts;
    }

    private async Task<int> FailAsync(string settings)
    {
        await using var connection = new SqlConnection(
            _server.ConnectionString + ";Pooling=false;ConnectRetryCount=0" + settings);
        return (await Assert.ThrowsAsync<SqlException>(() => connection.OpenAsync(Token))).Number;
    }

    private async Task<SqlConnection> OpenAsync(bool recovers = true)
    {
        var connection = new SqlConnection(string.Create(
            CultureInfo.InvariantCulture, $"{_server.ConnectionString};Pooling=false;ConnectRetryCount={(recovers ? 1 : 0)}"));
        await connection.OpenAsync(Token);
        return connection;
    }

    private sealed record Part(
        int A, long B, bool C, double D, string E, decimal F, Guid G, DateTime H, byte[] I, string J, short K, byte L, int? M);
}
