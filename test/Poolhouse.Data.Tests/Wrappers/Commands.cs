using System.Data;
using Microsoft.Data.Sqlite;
using Poolhouse.Data.Tests.Fakes;

namespace Poolhouse.Data.Tests.Wrappers;

public sealed class Commands : IAsyncDisposable
{
    private readonly FakeDb _db = new();
    private readonly PooledDataSource _source;

    public Commands() => _source = PooledDataSource.Create(_db, FakeDb.OneConnection());

    public ValueTask DisposeAsync() => _source.DisposeAsync();

    [Fact]
    public async Task A_command_can_be_created_before_its_connection_is_opened()
    {
        await using var connection = _source.CreateConnection();
        var command = connection.CreateCommand();
        command.CommandText = "SELECT 1";
        Assert.Contains(
            "not open", Assert.Throws<InvalidOperationException>(() => command.ExecuteScalar()).Message,
            StringComparison.Ordinal);
        connection.Open();
        Assert.Equal(1, command.ExecuteScalar());
        connection.Close();
        await Assert.ThrowsAsync<InvalidOperationException>(() => command.ExecuteScalarAsync());
        await connection.OpenAsync();
        Assert.Equal(1, await command.ExecuteScalarAsync());
        Assert.Equal("SELECT 1", command.CommandText);
    }

    [Fact]
    public void A_command_without_a_connection_throws()
    {
        using var connection = _source.OpenConnection();
        var command = connection.CreateCommand();
        command.Connection = null;
        Assert.Contains(
            "no connection", Assert.Throws<InvalidOperationException>(() => command.ExecuteNonQuery()).Message,
            StringComparison.Ordinal);
        command.Connection = connection;
        Assert.Equal(7, command.ExecuteNonQuery());
    }

    [Fact]
    public void A_command_returns_the_assigned_wrappers()
    {
        using var connection = _source.OpenConnection();
        using var transaction = connection.BeginTransaction();
        var command = connection.CreateCommand();
        command.Transaction = transaction;
        Assert.Same(connection, command.Connection);
        Assert.Same(transaction, command.Transaction);
        Assert.Same(connection, transaction.Connection);
        Assert.Same(_db.Connections[0].Current, command.Unwrap<FakeCommand>().Transaction);
    }

    [Fact]
    public void Foreign_connections_and_transactions_are_rejected()
    {
        using var file = new Servers.SqliteFile();
        using var sqlite = PooledDataSource.Create(SqliteFactory.Instance.CreateDataSource(file.ConnectionString));
        using var foreign = sqlite.OpenConnection();
        using var connection = _source.OpenConnection();
        var command = connection.CreateCommand();
        using var inner = new FakeConnection(_db);
        inner.Open();
        Assert.Contains(
            "not a connection of a PooledDataSource", Assert.Throws<ArgumentException>(() => command.Connection = inner).Message,
            StringComparison.Ordinal);
        Assert.Contains(
            "another provider", Assert.Throws<ArgumentException>(() => command.Connection = foreign).Message,
            StringComparison.Ordinal);
        Assert.Contains(
            "not a transaction of a PooledDataSource connection",
            Assert.Throws<ArgumentException>(() => command.Transaction = inner.BeginTransaction()).Message,
            StringComparison.Ordinal);
        Assert.Equal(1, command.ExecuteScalar());
    }

    [Fact]
    public async Task A_reader_that_should_close_its_connection_closes_the_wrapper_and_not_the_providers()
    {
        await using var connection = _source.OpenConnection();
        await using var command = connection.CreateCommand();
        var reader = command.ExecuteReader(CommandBehavior.CloseConnection | CommandBehavior.SingleResult);
        Assert.Equal(CommandBehavior.SingleResult, reader.Unwrap<FakeReader>().Behavior);
        reader.Close();
        Assert.Equal(ConnectionState.Closed, connection.State);
        await connection.OpenAsync();
        var second = await command.ExecuteReaderAsync(CommandBehavior.CloseConnection);
        await second.DisposeAsync();
        Assert.Equal(ConnectionState.Closed, connection.State);
        Assert.Equal(0, _db.CountOf("connection.Close"));
        Assert.Equal(2, _source.GetStatistics().Returned);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_failed_ExecuteReader_with_CloseConnection_closes_the_connection(bool async)
    {
        await using var connection = _source.OpenConnection();
        await using var command = connection.CreateCommand();
        _db.Failures["command.Reader"] = new FakeDbException("42P01");
        await Assert.ThrowsAsync<FakeDbException>(async () =>
            _ = async
                ? await command.ExecuteReaderAsync(CommandBehavior.CloseConnection)
                : command.ExecuteReader(CommandBehavior.CloseConnection));
        Assert.Equal(ConnectionState.Closed, connection.State);
    }

    [Fact]
    public void A_reader_keeps_its_row_count_after_it_is_closed()
    {
        using var connection = _source.OpenConnection();
        using var command = connection.CreateCommand();
        var reader = command.ExecuteReader();
        var rows = reader.Cast<System.Data.Common.DbDataRecord>().Select(record => record.GetInt32(0)).ToList();
        Assert.Equal([1, 2, 3], rows);
        reader.Dispose();
        reader.Dispose();
        Assert.True(reader.IsClosed);
        Assert.Equal(3, reader.RecordsAffected);
        Assert.Equal(1, _db.CountOf("reader.Close"));
    }

    [Fact]
    public void A_disposed_command_is_not_reused()
    {
        using var connection = _source.OpenConnection();
        var command = connection.CreateCommand();
        command.Dispose();
        command.Dispose();
        Assert.Throws<ObjectDisposedException>(() => command.ExecuteScalar());
        Assert.Throws<ObjectDisposedException>(command.Unwrap<FakeCommand>);

        // Its properties are there, as those of a provider's disposed command.
        command.CommandText = "SELECT 1";
        Assert.Equal("SELECT 1", command.CommandText);
        command.Cancel();
        Assert.Equal(["connection.Open", "command.Dispose"], _db.Calls);
    }

    [Fact]
    public async Task A_command_of_the_data_source_opens_and_closes_by_itself()
    {
        await using var command = _source.CreateCommand("SELECT 1");
        Assert.Equal(1, command.ExecuteScalar());
        Assert.Equal(7, await command.ExecuteNonQueryAsync());
        var reader = await command.ExecuteReaderAsync();
        Assert.Equal(1, _source.GetStatistics().Leased);
        Assert.True(await reader.ReadAsync());
        await reader.DisposeAsync();
        Assert.Equal(0, _source.GetStatistics().Leased);
        _db.Failures["command.Scalar"] = new FakeDbException("42P01");
        await Assert.ThrowsAsync<FakeDbException>(() => command.ExecuteScalarAsync());
        Assert.Equal(0, _source.GetStatistics().Leased);
        Assert.Single(_db.Connections);
    }

    [Fact]
    public void A_provider_without_batches_throws()
    {
        using var connection = _source.OpenConnection();
        Assert.False(connection.CanCreateBatch);
        Assert.Throws<NotSupportedException>(connection.CreateBatch);
        Assert.Throws<NotSupportedException>(_source.CreateBatch);
    }

    [Fact]
    public void A_disposed_transaction_does_not_affect_the_next_one_on_its_connection()
    {
        using var connection = _source.OpenConnection();
        var first = connection.BeginTransaction(IsolationLevel.Serializable);
        Assert.Equal(IsolationLevel.Serializable, first.IsolationLevel);
        first.Commit();
        Assert.Null(first.Connection);
        using var second = connection.BeginTransaction();
        first.Dispose();
        Assert.Same(connection, second.Connection);
        Assert.Throws<ObjectDisposedException>(first.Rollback);
        second.Commit();
    }

    [Fact]
    public void Unwrap_returns_the_providers_object_and_rejects_other_types()
    {
        using var connection = _source.OpenConnection();
        Assert.Same(_db.Connections[0], connection.Unwrap<FakeConnection>());
        Assert.Same(_db.Connections[0], _db.Connections[0].Unwrap<FakeConnection>());
        Assert.Contains(
            "not a", Assert.Throws<InvalidCastException>(() => connection.Unwrap<SqliteConnection>()).Message,
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_unwrapped_connection_is_not_reused()
    {
        await using (var connection = await _source.OpenConnectionAsync())
        {
            await connection.Unwrap<FakeConnection>().BeginTransactionAsync();
        }

        await using var next = await _source.OpenConnectionAsync();
        Assert.NotSame(_db.Connections[0], Provider.Of<FakeConnection>(next));
        Assert.Equal(ConnectionState.Closed, _db.Connections[0].State);
    }
}
