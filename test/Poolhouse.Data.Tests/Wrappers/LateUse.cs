using System.Data;
using System.Data.Common;
using Poolhouse.Data.Tests.Fakes;
using Poolhouse.Data.Tests.Faults;

namespace Poolhouse.Data.Tests.Wrappers;

/// <summary>What outlives its lease cannot reach the next one, which has the same connection (I9).</summary>
public sealed class LateUse : IAsyncDisposable
{
    private readonly FakeDb _db = new();
    private readonly PooledDataSource _source;

    public LateUse() => _source = PooledDataSource.Create(_db, FakeDb.OneConnection());

    public ValueTask DisposeAsync() => _source.DisposeAsync();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_late_reader_is_closed_and_disposing_it_does_nothing(bool async)
    {
        var old = _source.OpenConnection();
        var reader = old.CreateCommand().ExecuteReader();
        await using var next = await TakeOverAsync(old);
        using var nextReader = next.CreateCommand().ExecuteReader();
        var closed = _db.CountOf("reader.Close");
        Assert.True(reader.IsClosed);
        Assert.Throws<InvalidOperationException>(() => reader.Read());
        Assert.Throws<InvalidOperationException>(() => reader.GetInt32(0));
        Assert.Throws<InvalidOperationException>(() => reader.GetData(0));
        await Assert.ThrowsAsync<InvalidOperationException>(() => reader.ReadAsync());
        await DisposeAsync(reader, async);
        Assert.Equal(closed, _db.CountOf("reader.Close"));
        Assert.True(nextReader.Read());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_late_transaction_has_ended_and_disposing_it_does_nothing(bool async)
    {
        var old = _source.OpenConnection();
        var transaction = old.BeginTransaction();
        await using var next = await TakeOverAsync(old);
        await using var nextTransaction = await next.BeginTransactionAsync();
        var calls = _db.Calls.Count;
        Assert.Null(transaction.Connection);
        Assert.Throws<InvalidOperationException>(transaction.Commit);
        Assert.Throws<InvalidOperationException>(transaction.Rollback);
        await Assert.ThrowsAsync<InvalidOperationException>(() => transaction.CommitAsync());
        await DisposeAsync(transaction, async);
        Assert.Equal(calls, _db.Calls.Count);
        await nextTransaction.CommitAsync();
    }

    [Fact]
    public async Task A_late_command_is_detached_and_can_be_disposed_or_executed_elsewhere()
    {
        var old = _source.CreateConnection();
        var command = old.CreateCommand();
        var inner = command.Unwrap<FakeCommand>();
        await old.OpenAsync();
        Assert.Equal(1, command.ExecuteScalar());
        await using var next = await TakeOverAsync(old);
        Assert.Null(inner.Connection);
        Assert.Throws<InvalidOperationException>(() => command.ExecuteScalar());
        command.Connection = next;
        Assert.Equal(1, command.ExecuteScalar());
        Assert.Same(_db.Connections[0], inner.Connection);
        command.Dispose();
        Assert.True(inner.IsDisposed);
    }

    [Fact]
    public async Task A_late_cancellation_cancels_nothing()
    {
        var old = _source.OpenConnection();
        var command = old.CreateCommand();
        command.ExecuteScalar();
        await using var next = await TakeOverAsync(old);
        command.Cancel();
        Assert.Equal(0, _db.CountOf("command.Cancel"));
    }

    [Fact]
    public async Task A_command_whose_reader_was_left_open_keeps_its_parameters()
    {
        await using var connection = _source.OpenConnection();
        var command = connection.CreateCommand();
        command.CommandText = "SELECT @p";
        command.CommandTimeout = 12;
        var parameter = command.CreateParameter();
        (parameter.ParameterName, parameter.Value) = ("p", 5);
        command.Parameters.Add(parameter);
        var first = command.Unwrap<FakeCommand>();
        command.ExecuteReader();
        connection.Close();
        await connection.OpenAsync();
        using var reader = command.ExecuteReader();
        Assert.True(reader.Read());
        Assert.NotSame(first, command.Unwrap<FakeCommand>());
        Assert.Equal(("SELECT @p", 12), (command.CommandText, command.CommandTimeout));
        Assert.Same(parameter, Assert.Single(command.Parameters.Cast<DbParameter>()));
    }

    [Fact]
    public void A_command_whose_reader_was_left_open_takes_another_text_while_the_pool_still_closes_the_reader()
    {
        var db = new FakeDb();
        using var source = PooledDataSource.Create(db, FakeDb.OneConnection());
        using var closing = new ManualResetEventSlim();
        using var connection = source.OpenConnection();
        using var command = connection.CreateCommand();
        command.CommandText = "SELECT 1";
        command.Parameters.Add(command.CreateParameter());
        using var reader = command.ExecuteReader();
        db.Before["reader.Close"] = closing.Wait;
        connection.Close();
        Assert.True(reader.IsClosed);

        command.CommandText = "SELECT 2";

        closing.Set();
        connection.Open();
        Assert.Equal(("SELECT 2", 1, 1), (command.CommandText, command.Parameters.Count, command.ExecuteScalar()));
    }

    [Fact]
    public async Task A_command_of_a_transaction_left_open_does_not_run_outside_it()
    {
        await using var connection = _source.OpenConnection();
        var command = connection.CreateCommand();
        command.Transaction = connection.BeginTransaction();
        command.ExecuteNonQuery();
        connection.Close();
        await connection.OpenAsync();
        Assert.Contains(
            "ended", Assert.Throws<InvalidOperationException>(() => command.ExecuteNonQuery()).Message, StringComparison.Ordinal);
        command.Transaction = null;
        Assert.Equal(7, command.ExecuteNonQuery());
    }

    [Fact]
    public async Task A_reader_that_should_close_its_connection_does_not_close_the_next_lease()
    {
        await using var connection = _source.OpenConnection();
        var reader = connection.CreateCommand().ExecuteReader(CommandBehavior.CloseConnection);
        connection.Close();
        await connection.OpenAsync();
        reader.Dispose();
        Assert.Equal(ConnectionState.Open, connection.State);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_late_failure_of_a_reader_that_should_close_its_connection_does_not_close_the_next_lease(bool async)
    {
        using var inside = new ManualResetEventSlim();
        using var goOn = new ManualResetEventSlim();
        var options = FakeDb.OneConnection();
        options.Pool.MaxSize = 2;
        await using var source = PooledDataSource.Create(_db, options);
        await using var connection = source.OpenConnection();
        var command = connection.CreateCommand();
        _db.Before["command.Reader"] = () =>
        {
            inside.Set();
            goOn.Wait();
            throw new FakeDbException("57014");
        };
        var executing = Task.Factory.StartNew(
            () => async
                ? command.ExecuteReaderAsync(CommandBehavior.CloseConnection).GetAwaiter().GetResult()
                : command.ExecuteReader(CommandBehavior.CloseConnection),
            CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        inside.Wait();
        connection.Close();
        await connection.OpenAsync();
        goOn.Set();
        await Assert.ThrowsAsync<FakeDbException>(() => Patience.WithinAsync(executing));
        Assert.Equal(ConnectionState.Open, connection.State);
    }

    [Fact]
    public async Task An_unwrapped_connection_cannot_be_obtained_after_its_lease()
    {
        var connection = _source.OpenConnection();
        var (command, transaction) = (connection.CreateCommand(), connection.BeginTransaction());
        var reader = command.ExecuteReader();
        Assert.IsType<FakeReader>(reader.Unwrap<FakeReader>());
        Assert.Same(_db.Connections[0].Current, transaction.Unwrap<FakeTransaction>());
        await connection.CloseAsync();
        Assert.Throws<InvalidOperationException>(() => connection.Unwrap<FakeConnection>());
        Assert.Throws<InvalidOperationException>(() => reader.Unwrap<FakeReader>());
        Assert.Throws<InvalidOperationException>(() => transaction.Unwrap<FakeTransaction>());
        Assert.Null(command.Unwrap<FakeCommand>().Connection);
    }

    /// <summary>Closes one connection and opens another, on the same connection of the provider.</summary>
    private async Task<DbConnection> TakeOverAsync(DbConnection old)
    {
        old.Close();
        var next = await _source.OpenConnectionAsync();
        Assert.Single(_db.Connections);
        return next;
    }

    private static async Task DisposeAsync(IDisposable wrapper, bool async)
    {
        if (async)
        {
            await ((IAsyncDisposable)wrapper).DisposeAsync();
        }
        else
        {
            wrapper.Dispose();
        }
    }
}
