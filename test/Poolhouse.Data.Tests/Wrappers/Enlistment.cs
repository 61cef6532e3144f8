using System.Data;
using System.Transactions;
using Poolhouse.Data.Tests.Fakes;

namespace Poolhouse.Data.Tests.Wrappers;

/// <summary>A connection opened inside a TransactionScope belongs to its transaction until that completes.</summary>
public sealed class Enlistment
{
    private readonly FakeDb _db = new();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Opening_again_inside_the_scope_gets_the_same_connection(bool async)
    {
        await using var source = PooledDataSource.Create(_db);
        await using var connection = source.CreateConnection();
        await using var other = source.CreateConnection();
        using (var scope = new TransactionScope(TransactionScopeAsyncFlowOption.Enabled))
        {
            foreach (var opened in new[] { connection, other, connection })
            {
                await (async ? opened.OpenAsync() : Task.Run(opened.Open));
                opened.CreateCommand().ExecuteNonQuery();
                opened.Close();
                Assert.Equal(ConnectionState.Closed, opened.State);
                Assert.Equal(1, source.GetStatistics().Leased);
            }

            scope.Complete();
        }

        Assert.Equal(0, source.GetStatistics().Leased);
        Assert.Equal(1, _db.CountOf("connection.Enlist"));
        Assert.Single(_db.Connections);
    }

    [Fact]
    public async Task A_connection_open_at_the_end_of_the_scope_keeps_working()
    {
        await using var source = PooledDataSource.Create(_db, FakeDb.OneConnection());
        await using var connection = source.CreateConnection();
        using (var scope = new TransactionScope(TransactionScopeAsyncFlowOption.Enabled))
        {
            connection.Open();
            scope.Complete();
        }

        Assert.Equal(1, connection.CreateCommand().ExecuteScalar());
        connection.Close();
        await using var next = await source.OpenConnectionAsync();
        Assert.Single(_db.Connections);
        next.Close();
        Assert.Equal(0, source.GetStatistics().Leased);
    }

    [Fact]
    public async Task Two_connections_open_at_once_in_a_scope_are_separate()
    {
        await using var source = PooledDataSource.Create(_db);
        using (new TransactionScope(TransactionScopeAsyncFlowOption.Enabled))
        {
            await using var first = await source.OpenConnectionAsync();
            await using var second = await source.OpenConnectionAsync();
            Assert.NotSame(Provider.Of<FakeConnection>(first), Provider.Of<FakeConnection>(second));
        }

        Assert.Equal(0, source.GetStatistics().Leased);
        Assert.Equal(2, _db.CountOf("connection.Enlist"));
    }

    [Fact]
    public async Task A_transaction_rolled_back_by_another_thread_returns_its_connection()
    {
        await using var source = PooledDataSource.Create(_db, FakeDb.OneConnection());
        using var transaction = new CommittableTransaction();
        await using (var connection = await source.OpenConnectionAsync())
        {
            connection.EnlistTransaction(transaction);
        }

        Assert.Equal(1, source.GetStatistics().Leased);
        await Task.Run(transaction.Rollback);
        await using var next = await source.OpenConnectionAsync();
        Assert.Single(_db.Connections);
    }

    // A provider cannot commit while a reader is open on its connection.
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_reader_left_open_in_the_scope_is_closed_with_its_connection(bool resets)
    {
        using var source = PooledDataSource.Create(_db, FakeDb.OneConnection(resets ? null : SessionReset.None));
        using var scope = new TransactionScope();
        var first = source.OpenConnection();
        first.CreateCommand().ExecuteReader();
        Assert.Equal(["reader.Close"], _db.Watch(first.Close));
        using var second = source.OpenConnection();
        Assert.Equal(1, _db.CountOf("reader.Close"));
        Assert.Equal(1, second.CreateCommand().ExecuteScalar());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_connection_whose_reader_cannot_be_closed_in_the_scope_is_destroyed(bool async)
    {
        await using var source = PooledDataSource.Create(_db, FakeDb.OneConnection());
        using (new TransactionScope(TransactionScopeAsyncFlowOption.Enabled))
        {
            var first = await source.OpenConnectionAsync();
            await first.CreateCommand().ExecuteReaderAsync();
            _db.Failures["reader.Close"] = new FakeDbException("22012");
            await (async ? first.CloseAsync() : Task.Run(first.Close));
            Assert.Equal(ConnectionState.Closed, first.State);
        }

        await using var next = await source.OpenConnectionAsync();
        Assert.Equal(2, _db.Connections.Count);
    }

    [Fact]
    public void A_connection_that_broke_inside_the_scope_is_not_kept()
    {
        using var source = PooledDataSource.Create(_db);
        using var scope = new TransactionScope();
        using var connection = source.OpenConnection();
        _db.Connections[0].CurrentState = ConnectionState.Broken;
        connection.Close();
        connection.Open();
        Assert.Equal(2, _db.Connections.Count);
    }

    [Fact]
    public void Another_data_source_uses_a_separate_connection()
    {
        using var source = PooledDataSource.Create(_db);
        using var other = PooledDataSource.Create(_db);
        using var scope = new TransactionScope();
        source.OpenConnection().Close();
        other.OpenConnection().Close();
        Assert.Equal(2, _db.Connections.Count);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_provider_that_cannot_enlist_throws_and_names_the_setting(bool async)
    {
        _db.CanEnlist = false;
        await using var source = PooledDataSource.Create(_db, FakeDb.OneConnection());
        using var scope = new TransactionScope(TransactionScopeAsyncFlowOption.Enabled);
        var refusal = await Assert.ThrowsAsync<NotSupportedException>(async () =>
            _ = async ? await source.OpenConnectionAsync() : source.OpenConnection());
        Assert.Contains("DbPoolOptions.Enlist", refusal.Message, StringComparison.Ordinal);
        Assert.Equal(0, source.GetStatistics().Leased);
    }

    [Theory]
    [InlineData(false, typeof(NotSupportedException))]
    [InlineData(true, typeof(TransactionAbortedException))]
    public void An_aborted_transaction_is_not_passed_to_the_provider(bool canEnlist, Type expected)
    {
        _db.CanEnlist = canEnlist;
        using var source = PooledDataSource.Create(_db, FakeDb.OneConnection());
        using (new TransactionScope())
        {
            Transaction.Current!.Rollback();
            Assert.IsType(expected, Record.Exception(source.OpenConnection));
        }

        Assert.DoesNotContain(_db.Connections[0].Enlistments, transaction => transaction is not null);
        source.OpenConnection().Close();
        Assert.Single(_db.Connections);
    }

    // Npgsql is in the transaction even if it fails to join it because of another one.
    [Theory]
    [InlineData("Open", false)]
    [InlineData("OpenAsync", false)]
    [InlineData("EnlistTransaction", false)]
    [InlineData("Open", true)]
    [InlineData("OpenAsync", true)]
    [InlineData("EnlistTransaction", true)]
    public async Task A_connection_that_failed_to_join_a_transaction_is_not_leased_again(string way, bool isNotSupported)
    {
        await using var source = PooledDataSource.Create(_db, FakeDb.OneConnection());
        await using var connection = source.CreateConnection();
        if (way is "EnlistTransaction")
        {
            await connection.OpenAsync();
        }

        Exception failure = isNotSupported
            ? new NotSupportedException("Not with this isolation level.")
            : new InvalidOperationException("A transaction is open.");
        _db.Before["connection.Enlist"] = () =>
        {
            _db.Before.Clear();
            throw failure;
        };
        using (new TransactionScope(TransactionScopeAsyncFlowOption.Enabled))
        {
            Assert.Same(failure, await Record.ExceptionAsync(() => way switch
            {
                "Open" => Task.Run(connection.Open),
                "OpenAsync" => connection.OpenAsync(),
                _ => Task.Run(() => connection.EnlistTransaction(Transaction.Current)),
            }));
        }

        await connection.CloseAsync();
        await using var next = await source.OpenConnectionAsync();
        Assert.Equal(2, _db.Connections.Count);
    }

    [Fact]
    public void A_connection_that_cannot_join_an_aborted_transaction_stays_in_its_own()
    {
        using var source = PooledDataSource.Create(_db, FakeDb.OneConnection());
        using var aborted = new CommittableTransaction();
        aborted.Rollback();
        using var transaction = new CommittableTransaction();
        using var connection = source.OpenConnection();
        connection.EnlistTransaction(transaction);
        Assert.Throws<TransactionAbortedException>(() => connection.EnlistTransaction(aborted));
        Assert.Equal([transaction], _db.Connections[0].Enlistments);
    }

    [Fact]
    public void Without_the_option_scopes_are_ignored()
    {
        _db.CanEnlist = false;
        var options = FakeDb.OneConnection();
        options.Enlist = false;
        using var source = PooledDataSource.Create(_db, options);
        using var scope = new TransactionScope();
        source.OpenConnection().Close();
        Assert.Equal(0, source.GetStatistics().Leased);
        Assert.Equal(["connection.Open"], _db.Calls);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_connection_that_changed_its_transaction_is_destroyed_when_the_last_one_completes(bool throughNone)
    {
        await using var source = PooledDataSource.Create(_db, FakeDb.OneConnection());
        using var first = new CommittableTransaction();
        using var second = new CommittableTransaction();
        var connection = await source.OpenConnectionAsync();
        connection.EnlistTransaction(first);
        if (throughNone)
        {
            connection.EnlistTransaction(null);
        }

        connection.EnlistTransaction(second);
        connection.Close();
        first.Rollback();
        Assert.Equal(1, source.GetStatistics().Leased);
        second.Commit();
        Assert.Equal(0, source.GetStatistics().Leased);
        await using var next = await source.OpenConnectionAsync();
        Assert.Equal(2, _db.Connections.Count);
    }

    [Fact]
    public async Task A_transaction_that_is_disposed_while_a_connection_joins_it_has_completed()
    {
        await using var source = PooledDataSource.Create(_db, FakeDb.OneConnection());
        using var transaction = new CommittableTransaction();
        _db.Before["connection.Enlist"] = transaction.Dispose;
        var connection = await source.OpenConnectionAsync();
        connection.EnlistTransaction(transaction);
        connection.Close();
        Assert.Equal(0, source.GetStatistics().Leased);
        await using var next = await source.OpenConnectionAsync();
        Assert.Single(_db.Connections);
    }

    [Fact]
    public async Task A_connection_that_left_its_transaction_is_not_reused()
    {
        await using var source = PooledDataSource.Create(_db, FakeDb.OneConnection());
        using var transaction = new CommittableTransaction();
        var connection = await source.OpenConnectionAsync();
        connection.EnlistTransaction(transaction);
        connection.EnlistTransaction(null);
        connection.Close();
        Assert.Equal(0, source.GetStatistics().Leased);
        transaction.Rollback();
        await using var next = await source.OpenConnectionAsync();
        Assert.Equal(2, _db.Connections.Count);
    }
}
