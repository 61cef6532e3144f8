using System.ComponentModel;
using System.Data.Common;
using System.Net.Sockets;
using Poolhouse.Data.Tests.Fakes;

namespace Poolhouse.Data.Tests.Wrappers;

/// <summary>What a failure costs: nothing, the connection, or all connections opened before (I8).</summary>
public sealed class Taint
{
    private static readonly string[] _calls =
    [
        "command.NonQuery", "command.Scalar", "command.Reader", "command.Prepare", "reader.Read", "reader.NextResult",
        "reader.Close",
        "transaction.Commit", "transaction.Rollback", "connection.Begin",
    ];

    private readonly FakeDb _db = new();

    public static TheoryData<string, bool> Calls()
    {
        var data = new TheoryData<string, bool>();
        foreach (var call in _calls)
        {
            data.Add(call, false);
            data.Add(call, true);
        }

        return data;
    }

    [Theory]
    [MemberData(nameof(Calls))]
    public Task A_failed_statement_keeps_the_connection(string call, bool async) =>
        FailAsync(call, async, new FakeDbException("23505"), destroyed: 0);

    [Theory]
    [MemberData(nameof(Calls))]
    public Task A_command_timeout_destroys_the_connection(string call, bool async) =>
        FailAsync(call, async, new TimeoutException("It took too long."), destroyed: 1);

    // SqlClient reports it without a SQLSTATE: the inner exception is the error WAIT_TIMEOUT of Windows.
    [Fact]
    public Task A_command_timeout_of_SqlClient_destroys_one_connection() =>
        FailAsync("command.NonQuery", async: true, new FakeDbException(state: null, new Win32Exception(258)), destroyed: 1);

    // MySqlConnector cancels the statement, and reports its error as the inner exception of one without a SQLSTATE.
    [Fact]
    public Task A_command_timeout_of_MySqlConnector_destroys_one_connection() => FailAsync(
        "command.NonQuery", async: true, new FakeDbException(state: null, new FakeDbException("70100")), destroyed: 1);

    [Theory]
    [MemberData(nameof(Calls))]
    public Task A_cancellation_destroys_the_connection(string call, bool async) =>
        FailAsync(call, async, new OperationCanceledException("It was cancelled."), destroyed: 1);

    [Theory]
    [MemberData(nameof(Calls))]
    public Task A_server_shutdown_destroys_every_connection_opened_before(string call, bool async) =>
        FailAsync(call, async, new FakeDbException("57P01"), destroyed: 2);

    [Fact]
    public Task A_network_failure_destroys_every_connection_opened_before() =>
        FailAsync("reader.Read", async: true, new IOException("It broke.", new SocketException(104)), destroyed: 2);

    [Fact]
    public async Task A_reset_that_fails_to_judge_a_statement_does_not_keep_the_connection_in_use()
    {
        await using var source = PooledDataSource.Create(_db, FakeDb.OneConnection(new FailingReset()));
        await using (var connection = await source.OpenConnectionAsync())
        {
            var command = connection.CreateCommand();
            for (var i = 0; i < 2; i++)
            {
                Assert.Throws<NotSupportedException>(() => command.ExecuteNonQuery());
            }
        }

        await using var next = await source.OpenConnectionAsync();
        Assert.Single(_db.Connections);
    }

    [Theory]
    [InlineData("command.Reader")]
    [InlineData("reader.Read")]
    [InlineData("reader.ReadAsync")]
    public async Task A_classifier_that_throws_destroys_the_connection_when_it_is_returned(string call)
    {
        var options = FakeDb.OneConnection();
        options.Errors = new FailingClassifier();
        await using var source = PooledDataSource.Create(_db, options);
        await using (var connection = await source.OpenConnectionAsync())
        {
            var failure = new FakeDbException("23505");
            _db.Failures[call] = failure;
            Assert.Same(failure, await Assert.ThrowsAnyAsync<DbException>(async () =>
            {
                await using var reader = await connection.CreateCommand().ExecuteReaderAsync();
                _ = call is "reader.Read" ? reader.Read() : await reader.ReadAsync();
            }));
        }

        await using var next = await source.OpenConnectionAsync();
        Assert.Equal(2, _db.Connections.Count);
        Assert.Equal(1, _db.CountOf("connection.Close"));
    }

    [Fact]
    public async Task A_failure_reported_with_a_lease_of_another_pool_is_refused()
    {
        await using var pool = new DbConnectionPool<FakeConnection>(_db, FakeDb.OneConnection());
        await using var other = new DbConnectionPool<FakeConnection>(_db, FakeDb.OneConnection());
        await using (var lease = await other.RentAsync())
        {
            Assert.Throws<ArgumentException>(
                "lease", () => pool.ObserveFailure(lease, new TimeoutException("It took too long.")));
        }

        await using var next = await other.RentAsync();
        Assert.Single(_db.Connections);
    }

    [Fact]
    public async Task A_failure_reported_without_an_exception_is_refused()
    {
        await using var pool = new DbConnectionPool<FakeConnection>(_db, FakeDb.OneConnection());
        await using (var lease = await pool.RentAsync())
        {
            Assert.Throws<ArgumentNullException>("exception", () => pool.ObserveFailure(lease, exception: null!));
        }

        await using var next = await pool.RentAsync();
        Assert.Single(_db.Connections);
    }

    [Fact]
    public async Task A_failure_reported_after_the_lease_does_not_affect_the_next_one()
    {
        await using var pool = new DbConnectionPool<FakeConnection>(_db, FakeDb.OneConnection());
        var ended = await pool.RentAsync();
        await ended.DisposeAsync();
        await using (await pool.RentAsync())
        {
            var failure = new TimeoutException("It took too long.");
            Assert.Equal(DbErrorSeverity.Connection, pool.ObserveFailure(ended, failure));
        }

        await using var next = await pool.RentAsync();
        Assert.Single(_db.Connections);
    }

    [Fact]
    public async Task Any_failure_after_the_callers_cancellation_destroys_the_connection()
    {
        await using var source = PooledDataSource.Create(_db, FakeDb.OneConnection());
        using var cancellation = new CancellationTokenSource();
        await using (var connection = await source.OpenConnectionAsync(CancellationToken.None))
        {
            await using var command = connection.CreateCommand();
            _db.Before["command.Scalar"] = cancellation.Cancel;
            _db.Failures["command.Scalar"] = new FakeDbException("HY008");
            await Assert.ThrowsAsync<FakeDbException>(() => command.ExecuteScalarAsync(cancellation.Token));
        }

        await using var next = await source.OpenConnectionAsync(CancellationToken.None);
        Assert.Equal(2, _db.Connections.Count);
    }

    [Fact]
    public async Task A_token_cancelled_beforehand_keeps_the_connection()
    {
        await using var source = PooledDataSource.Create(_db, FakeDb.OneConnection());
        await using (var connection = await source.OpenConnectionAsync())
        {
            var cancelled = new CancellationToken(canceled: true);
            await using var command = connection.CreateCommand();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => command.ExecuteScalarAsync(cancelled));
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => command.ExecuteNonQueryAsync(cancelled));
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => command.ExecuteReaderAsync(cancelled));
            await Assert.ThrowsAnyAsync<OperationCanceledException>(
                async () => await connection.BeginTransactionAsync(cancelled));
        }

        await using var next = await source.OpenConnectionAsync();
        Assert.Equal(["connection.Open", "command.Dispose"], _db.Calls);
    }

    [Fact]
    public async Task A_cancelled_command_destroys_the_connection_because_the_request_may_arrive_late()
    {
        await using var source = PooledDataSource.Create(_db, FakeDb.OneConnection());
        await using (var connection = await source.OpenConnectionAsync())
        {
            var command = connection.CreateCommand();
            command.ExecuteScalar();
            command.Cancel();
            Assert.Equal(1, _db.CountOf("command.Cancel"));
        }

        await using var next = await source.OpenConnectionAsync();
        Assert.Equal(2, _db.Connections.Count);
    }

    private async Task FailAsync(string call, bool async, Exception failure, int destroyed)
    {
        var options = new DbPoolOptions { FatalErrorSpread = TimeSpan.Zero };
        options.Pool.MaxSize = 2;
        await using var source = PooledDataSource.Create(_db, options);
        var other = await source.OpenConnectionAsync();
        await using (var connection = await source.OpenConnectionAsync())
        {
            other.Close();
            _db.Failures[call] = failure;
            var seen = await Assert.ThrowsAnyAsync<Exception>(() => UseAsync(connection, call, async));
            Assert.Same(failure, seen);
            _db.Failures.Clear();
        }

        // Rents both connections at once, so that a pending reset or replacement is awaited.
        await using var first = await source.OpenConnectionAsync();
        await using var second = await source.OpenConnectionAsync();
        Assert.Equal(2 + destroyed, _db.Connections.Count);
    }

    private static async Task UseAsync(DbConnection connection, string call, bool async)
    {
        await using var command = connection.CreateCommand();
        switch (call)
        {
            case "command.NonQuery":
                _ = async ? await command.ExecuteNonQueryAsync() : command.ExecuteNonQuery();
                break;
            case "command.Scalar":
                _ = async ? await command.ExecuteScalarAsync() : command.ExecuteScalar();
                break;
            case "command.Prepare":
                await (async ? command.PrepareAsync() : Task.Run(command.Prepare));
                break;
            case "connection.Begin":
                _ = async ? await connection.BeginTransactionAsync() : connection.BeginTransaction();
                break;
            case "transaction.Commit":
                var committed = connection.BeginTransaction();
                await (async ? committed.CommitAsync() : Task.Run(committed.Commit));
                break;
            case "transaction.Rollback":
                var rolledBack = connection.BeginTransaction();
                await (async ? rolledBack.RollbackAsync() : Task.Run(rolledBack.Rollback));
                break;
            default:
                var reader = async ? await command.ExecuteReaderAsync() : command.ExecuteReader();
                _ = call is "reader.Read" && (async ? await reader.ReadAsync() : reader.Read());
                _ = call is "reader.NextResult" && (async ? await reader.NextResultAsync() : reader.NextResult());
                await (async ? reader.CloseAsync() : Task.Run(reader.Close));
                break;
        }
    }

    private sealed class FailingReset : SessionReset
    {
        public override bool MayLeaveTraces(string statement) => throw new NotSupportedException();

        public override ValueTask<bool> ResetAsync(
            DbConnection connection, object? captured, CancellationToken cancellationToken) => new(true);
    }

    private sealed class FailingClassifier : DbErrorClassifier
    {
        public override DbErrorSeverity Classify(Exception exception) => throw new NotSupportedException();
    }
}
