using System.Data;
using System.Data.Common;
using Poolhouse.Data.Tests.Fakes;

namespace Poolhouse.Data.Tests.Wrappers;

public sealed class OpeningAndClosing
{
    private readonly FakeDb _db = new();

    [Fact]
    public async Task A_lease_that_is_requested_too_early_affects_no_other_caller()
    {
        await using var pool = new DbConnectionPool<FakeConnection>(_db, FakeDb.OneConnection());
        var held = await pool.RentAsync(TestContext.Current.CancellationToken);

#pragma warning disable CA2012, VSTHRD002, VSTHRD103, xUnit1031 // The misuse that is tested.
        var early = pool.RentAsync(TestContext.Current.CancellationToken);
        Assert.Throws<InvalidOperationException>(() => early.Result);
        var other = pool.RentAsync(TestContext.Current.CancellationToken).AsTask();
        held.Dispose();

        (await early).Dispose();
#pragma warning restore CA2012, VSTHRD002, VSTHRD103, xUnit1031
        (await other).Dispose();
        Assert.Equal(0, pool.GetStatistics().Leased);
    }

    [Fact]
    public void A_connection_can_be_opened_and_closed_repeatedly()
    {
        using var source = PooledDataSource.Create(_db, FakeDb.OneConnection());
        using var connection = source.CreateConnection();
        for (var i = 0; i < 3; i++)
        {
            Assert.Equal(ConnectionState.Closed, connection.State);
            connection.Open();
            Assert.Equal(ConnectionState.Open, connection.State);
            connection.Close();
        }

        Assert.Equal(1, _db.CountOf("connection.Open"));
        Assert.Equal(3, source.GetStatistics().Returned);
    }

    [Fact]
    public async Task The_state_changes_from_closed_to_open_and_back_and_nothing_else()
    {
        await using var source = PooledDataSource.Create(_db, FakeDb.OneConnection());
        await using var connection = source.CreateConnection();
        var changes = new List<(ConnectionState, ConnectionState)>();
        connection.StateChange += (sender, change) =>
        {
            Assert.Same(connection, sender);
            changes.Add((change.OriginalState, change.CurrentState));
        };
        connection.Open();
        connection.Close();
        connection.Close();
        await connection.OpenAsync(default);
        await connection.CloseAsync();
        await connection.DisposeAsync();
        var (closed, open) = (ConnectionState.Closed, ConnectionState.Open);
        Assert.Equal([(closed, open), (open, closed), (closed, open), (open, closed)], changes);
    }

    [Fact]
    public async Task Opening_an_open_connection_is_an_error_that_leaves_it_open()
    {
        await using var source = PooledDataSource.Create(_db, FakeDb.OneConnection());
        await using var connection = await source.OpenConnectionAsync();
        Assert.Contains(
            "already open", Assert.Throws<InvalidOperationException>(connection.Open).Message, StringComparison.Ordinal);
        await Assert.ThrowsAsync<InvalidOperationException>(() => connection.OpenAsync(default));
        Assert.Equal(1, connection.CreateCommand().ExecuteScalar());
    }

    [Fact]
    public void Disposing_and_closing_twice_returns_once()
    {
        using var source = PooledDataSource.Create(_db, FakeDb.OneConnection());
        var connection = source.OpenConnection();
        connection.Dispose();
        connection.Close();
        connection.Dispose();
        var statistics = source.GetStatistics();
        Assert.Equal((1, 0), (statistics.Returned, statistics.DoubleReturns));
    }

    [Fact]
    public async Task A_disposed_connection_cannot_be_opened()
    {
        await using var source = PooledDataSource.Create(_db, FakeDb.OneConnection());
        var connection = await source.OpenConnectionAsync();
        await connection.DisposeAsync();
        Assert.Throws<ObjectDisposedException>(connection.Open);
        await Assert.ThrowsAsync<ObjectDisposedException>(() => connection.OpenAsync(default));
    }

    [Fact]
    public async Task After_the_data_source_is_disposed_opening_fails_and_open_connections_work()
    {
        var source = PooledDataSource.Create(_db, FakeDb.OneConnection());
        var connection = source.OpenConnection();
        var closed = source.CreateConnection();
        await source.DisposeAsync();
        Assert.Throws<ObjectDisposedException>(closed.Open);
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await source.OpenConnectionAsync());
        Assert.Throws<ObjectDisposedException>(source.OpenConnection);
        Assert.Equal(1, connection.CreateCommand().ExecuteScalar());
        connection.Close();
        Assert.Equal(ConnectionState.Closed, connection.State);
    }

    [Fact]
    public async Task Opening_waits_in_the_queue_and_can_be_cancelled()
    {
        await using var source = PooledDataSource.Create(_db, FakeDb.OneConnection());
        var first = source.OpenConnection();
        await using var second = source.CreateConnection();
        using var cancellation = new CancellationTokenSource();
        var cancelled = second.OpenAsync(cancellation.Token);
        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => cancelled);
        var opening = second.OpenAsync(default);
        Assert.False(opening.IsCompleted);
        first.Close();
        await opening;
        Assert.Equal(ConnectionState.Open, second.State);
    }

    [Fact]
    public async Task A_connection_that_is_being_opened_cannot_be_opened()
    {
        await using var source = PooledDataSource.Create(_db, FakeDb.OneConnection());
        var first = source.OpenConnection();
        await using var second = source.CreateConnection();
        var opening = second.OpenAsync(default);
        Assert.Contains("being opened", Assert.Throws<InvalidOperationException>(second.Open).Message, StringComparison.Ordinal);
        first.Close();
        await opening;
    }

    [Fact]
    public async Task A_connection_disposed_while_it_is_opened_is_returned()
    {
        await using var source = PooledDataSource.Create(_db, FakeDb.OneConnection());
        var first = source.OpenConnection();
        var second = source.CreateConnection();
        var opening = second.OpenAsync(default);
        second.Dispose();
        first.Close();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => opening);
        await using var third = await source.OpenConnectionAsync();
        Assert.Equal(ConnectionState.Open, third.State);
    }

    [Fact]
    public void A_broken_connection_reports_it_and_reopening_gets_another_one()
    {
        using var source = PooledDataSource.Create(_db, FakeDb.OneConnection());
        using var connection = source.OpenConnection();
        _db.Connections[0].CurrentState = ConnectionState.Broken;
        Assert.Equal(ConnectionState.Broken, connection.State);
        connection.Open();
        Assert.Equal(ConnectionState.Open, connection.State);
        Assert.Equal(2, _db.Connections.Count);
        Assert.Equal(1, connection.CreateCommand().ExecuteScalar());
    }

    [Fact]
    public void A_failed_open_throws_the_providers_exception_and_leaves_the_connection_closed()
    {
        var options = FakeDb.OneConnection();
        options.Pool.OutageTimeout = TimeSpan.Zero;
        using var source = PooledDataSource.Create(_db, options);
        var failure = new FakeDbException("28P01");
        _db.Failures["connection.Open"] = failure;
        using var connection = source.CreateConnection();
        Assert.Same(failure, Assert.Throws<FakeDbException>(connection.Open));
        Assert.Equal(ConnectionState.Closed, connection.State);
    }

    [Fact]
    public void An_unused_connection_is_not_reset()
    {
        using var source = PooledDataSource.Create(_db, FakeDb.OneConnection());
        source.OpenConnection().Close();
        source.OpenConnection().Close();
        Assert.Equal(["connection.Open"], _db.Calls);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Closing_never_calls_the_provider(bool dispose)
    {
        await using var source = PooledDataSource.Create(_db, FakeDb.OneConnection());
        var connection = source.OpenConnection();
        var transaction = connection.BeginTransaction();
        var command = connection.CreateCommand();
        command.Transaction = transaction;
        var reader = command.ExecuteReader();
        Assert.True(reader.Read());
        var before = _db.Calls.Count;
        Assert.Empty(_db.Watch(dispose ? connection.Dispose : connection.Close));
        Assert.True(reader.IsClosed);

        // The next one waits for the reset, which disposes of both.
        await using var next = await source.OpenConnectionAsync();
        Assert.Single(_db.Connections);
        Assert.Equal(["reader.Close", "transaction.Dispose"], _db.Calls.Skip(before).Take(2));
        Assert.Null(_db.Connections[0].Current);
    }

    [Fact]
    public async Task Without_a_reset_an_open_transaction_or_reader_destroys_the_connection()
    {
        await using var source = PooledDataSource.Create(_db, FakeDb.OneConnection(SessionReset.None));
        source.OpenConnection().Close();
        var connection = source.OpenConnection();
        connection.BeginTransaction();
        connection.Close();
        connection = await source.OpenConnectionAsync();
        connection.CreateCommand().ExecuteReader();
        connection.Close();
        await using var last = await source.OpenConnectionAsync();
        Assert.Equal(3, _db.Connections.Count);
    }

    [Fact]
    public void Properties_come_from_the_provider_and_the_string_from_the_source()
    {
        using var source = PooledDataSource.Create(_db, FakeDb.OneConnection());
        using var connection = source.CreateConnection();
        Assert.Equal(
            ("first", "fake", "Host=fake", 30),
            (connection.Database, connection.DataSource, connection.ConnectionString, connection.ConnectionTimeout));
        Assert.Throws<InvalidOperationException>(() => connection.ServerVersion);
        Assert.Throws<NotSupportedException>(() => connection.ConnectionString = "Host=other");
        Assert.Equal("of Closed", connection.GetSchema().TableName);
        connection.Open();
        Assert.Equal("1.0", connection.ServerVersion);
        Assert.Equal("of Open", connection.GetSchema().TableName);
        Assert.IsType<FakeFactory>(DbProviderFactories.GetFactory(connection));
    }

    [Fact]
    public async Task A_changed_database_does_not_reach_the_next_user()
    {
        await using var source = PooledDataSource.Create(_db, FakeDb.OneConnection());
        await using (var connection = await source.OpenConnectionAsync())
        {
            connection.ChangeDatabase("second");
            Assert.Equal("second", connection.Database);
        }

        await using var next = await source.OpenConnectionAsync();
        Assert.Equal("first", next.Database);
        Assert.Equal(2, _db.Connections.Count);
    }

    [Fact]
    public async Task Closing_during_a_statement_destroys_the_providers_connection()
    {
        await using var source = PooledDataSource.Create(_db, FakeDb.OneConnection());
        using var connection = source.OpenConnection();
        using var command = connection.CreateCommand();
        using var isRunning = new SemaphoreSlim(0);
        using var mayEnd = new SemaphoreSlim(0);
        _db.Before["command.Scalar"] = () =>
        {
            isRunning.Release();
            mayEnd.Wait();
        };
        var running = Task.Run(command.ExecuteScalar);
        await isRunning.WaitAsync();
        connection.Close();
        mayEnd.Release();
        await Record.ExceptionAsync(() => running);
        _db.Before.Clear();
        connection.Open();
        Assert.Equal(2, _db.Connections.Count);
        Assert.Equal(1, command.ExecuteScalar());
    }

    [Fact]
    public async Task Closing_awaits_the_reset_if_configured()
    {
        var options = FakeDb.OneConnection();
        options.Pool.AwaitReset = true;
        await using var source = PooledDataSource.Create(_db, options);
        var connection = source.OpenConnection();
        connection.BeginTransaction();
        await connection.CloseAsync();
        Assert.Equal(1, source.GetStatistics().Idle);
        await connection.OpenAsync(default);
        connection.BeginTransaction();
        await connection.DisposeAsync();
        Assert.Equal(1, source.GetStatistics().Idle);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_StateChange_handler_that_throws_loses_neither_the_connection_nor_capacity(bool async)
    {
        await using var source = PooledDataSource.Create(_db, FakeDb.OneConnection());
        await using var connection = source.CreateConnection();
        StateChangeEventHandler handler = static (_, _) => throw new ArithmeticException();
        connection.StateChange += handler;
        await Assert.ThrowsAsync<ArithmeticException>(() => async ? connection.OpenAsync(default) : Task.Run(connection.Open));
        Assert.Equal((ConnectionState.Closed, 0), (connection.State, source.GetStatistics().Leased));
        connection.StateChange -= handler;
        await connection.OpenAsync(default);
        connection.StateChange += handler;
        await Assert.ThrowsAsync<ArithmeticException>(() => async ? connection.CloseAsync() : Task.Run(connection.Close));
        Assert.Equal((ConnectionState.Closed, 0), (connection.State, source.GetStatistics().Leased));
    }

    [Fact]
    public void A_handler_that_throws_while_a_broken_connection_is_replaced_leaves_the_connection_usable()
    {
        using var source = PooledDataSource.Create(_db, FakeDb.OneConnection());
        using var connection = source.OpenConnection();
        StateChangeEventHandler handler = static (_, _) => throw new ArithmeticException();
        connection.StateChange += handler;
        _db.Connections[0].CurrentState = ConnectionState.Broken;
        Assert.Throws<ArithmeticException>(connection.Open);
        connection.StateChange -= handler;
        connection.Open();
        Assert.Equal(1, connection.CreateCommand().ExecuteScalar());
    }

    // Snowflake's provider throws a DbException (issue 17).
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_provider_that_keeps_a_command_attached_loses_no_capacity(bool refuses)
    {
        await using var source = PooledDataSource.Create(_db, FakeDb.OneConnection());
        _db.ReleaseFailure = refuses ? new FakeDbException("08000") : new NullReferenceException();
        await using var connection = source.CreateConnection();
        var command = connection.CreateCommand();
        command.CommandText = "SELECT 1";
        for (var i = 0; i < 3; i++)
        {
            await connection.OpenAsync(default);
            Assert.Equal(1, command.ExecuteScalar());
            await connection.CloseAsync();
            Assert.Equal(0, source.GetStatistics().Leased);
        }

        // A failure to detach concerns the command, which is not reused; the cause of any other failure is unknown.
        Assert.Equal(refuses ? 1 : 3, _db.Connections.Count);
        Assert.Equal("SELECT 1", command.CommandText);
    }
}
