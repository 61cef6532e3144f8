using System.Data;
using System.Data.Common;
using System.Runtime.CompilerServices;
using Microsoft.Data.Sqlite;
using Npgsql;
using Poolhouse.Data.Tests.Fakes;
using Poolhouse.Data.Tests.Servers;

namespace Poolhouse.Data.Tests.Wrappers;

/// <summary>
/// Undisposed and unreferenced objects are collected while their connection stays open, as with a plain provider; referenced ones
/// are detached from the connection at the end of the lease, however many there are (I9).
/// </summary>
public sealed class UndisposedObjects(PostgresServer server)
{
    private const int Count = 20_000;

    public static TheoryData<string> Kinds =>
        ["command", "executed command", "prepared command", "command with parameters", "batch", "transaction"];

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task Undisposed_objects_of_an_open_connection_are_collected(string kind)
    {
        using var file = new SqliteFile();
        await using DbDataSource provider = kind is "batch"
            ? NpgsqlDataSource.Create(await server.GetConnectionStringAsync() + ";Pooling=false")
            : SqliteFactory.Instance.CreateDataSource(file.ConnectionString);
        await using var source = PooledDataSource.Create(provider);
        await using var connection = await source.OpenConnectionAsync(TestContext.Current.CancellationToken);
        var forgotten = Forget(connection, kind, kind is "command" or "batch" ? Count : 1_000);
        GC.Collect();
        GC.WaitForPendingFinalizers();
        GC.Collect();

        // The newest ones stay: unreferenced objects are removed only from time to time.
        Assert.InRange(forgotten.Count(one => one.TryGetTarget(out _)), 0, 200);
    }

    [Fact]
    public async Task Every_undisposed_command_is_detached_from_the_connection()
    {
        using var db = new FakeDb();
        await using var source = PooledDataSource.Create(db, FakeDb.OneConnection());
        using var connection = source.OpenConnection();
        var commands = Enumerable.Range(0, 1_000).Select(_ => connection.CreateCommand()).ToList();
        for (var i = 0; i < 3; i++)
        {
            commands.ForEach(command => Assert.Equal(1, command.ExecuteScalar()));
        }

        foreach (var command in commands.Where((_, i) => i % 3 == 0))
        {
            await command.DisposeAsync();
        }

        connection.Close();
        await using var next = source.OpenConnection();
        var kept = commands.Where((_, i) => i % 3 != 0).ToList();
        Assert.Single(db.Connections);
        Assert.All(kept, command => Assert.Throws<InvalidOperationException>(() => command.ExecuteScalar()));
        Assert.All(kept, command => Assert.Null(command.Unwrap<FakeCommand>().Connection));

        next.Close();
        connection.Open();
        Assert.All(kept, command => Assert.Equal(1, command.ExecuteScalar()));
    }

    [Fact]
    public async Task Every_undisposed_transaction_is_detached_from_the_connection()
    {
        using var file = new SqliteFile();
        await using var provider = SqliteFactory.Instance.CreateDataSource(file.ConnectionString);
        await using var source = PooledDataSource.Create(provider);
        var connection = source.OpenConnection();
        var transactions = new List<DbTransaction>();
        for (var i = 0; i < 500; i++)
        {
            transactions.Add(connection.BeginTransaction());
            transactions[^1].Commit();
        }

        await connection.CloseAsync();
        await using var next = source.OpenConnection();
        await using var open = next.BeginTransaction();
        Assert.All(transactions, transaction => Assert.Throws<InvalidOperationException>(transaction.Rollback));
        await open.CommitAsync(TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task Every_undisposed_reader_is_closed_although_the_connection_cannot_be_reused()
    {
        using var db = new FakeDb();
        await using var source = PooledDataSource.Create(db, FakeDb.OneConnection());
        await using var connection = source.OpenConnection();
        var closing = connection.CreateCommand().ExecuteReader(CommandBehavior.CloseConnection);
        List<DbDataReader> readers =
            [closing, connection.CreateCommand().ExecuteReader(), connection.CreateCommand().ExecuteReader()];
        connection.Close();
        Assert.All(readers, reader => Assert.True(reader.IsClosed));
        Assert.All(readers, reader => Assert.Throws<InvalidOperationException>(() => reader.Read()));

        connection.Open();
        readers.ForEach(reader => reader.Dispose());
        Assert.Equal(ConnectionState.Open, connection.State);
        Assert.Equal(2, db.Connections.Count);
    }

    [Fact]
    public async Task A_reader_that_closes_its_connection_never_closes_a_later_opening()
    {
        using var db = new FakeDb();
        await using var source = PooledDataSource.Create(db, FakeDb.OneConnection());
        await using var connection = source.OpenConnection();
        await using var closing = connection.CreateCommand().ExecuteReader(CommandBehavior.CloseConnection);

        // While a statement runs, its thread owns the bound objects.
        db.Before["command.NonQuery"] = connection.Close;
        connection.CreateCommand().ExecuteNonQuery();
        connection.Open();
        await closing.DisposeAsync();
        Assert.Equal(ConnectionState.Open, connection.State);
    }

    // Npgsql uses one object for all transactions of a connection.
    [Fact]
    public async Task An_old_transaction_object_never_acts_on_a_newer_transaction()
    {
        await using var source = PooledDataSource.Create(NpgsqlFactory.Instance, await server.GetConnectionStringAsync());
        await using var connection = await source.OpenConnectionAsync(TestContext.Current.CancellationToken);
        var first = await connection.BeginTransactionAsync(TestContext.Current.CancellationToken);
        await first.CommitAsync(TestContext.Current.CancellationToken);
        var commands = Enumerable.Range(0, 500).Select(_ => connection.CreateCommand()).ToList();
        await using var second = await connection.BeginTransactionAsync(TestContext.Current.CancellationToken);
        await Assert.ThrowsAsync<InvalidOperationException>(() => first.RollbackAsync(TestContext.Current.CancellationToken));
        await second.CommitAsync(TestContext.Current.CancellationToken);
        Assert.Equal(500, commands.Count);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static List<WeakReference<object>> Forget(DbConnection connection, string kind, int count)
    {
        var forgotten = new List<WeakReference<object>>(count);
        for (var i = 0; i < count; i++)
        {
            forgotten.Add(new WeakReference<object>(Make(connection, kind)));
        }

        return forgotten;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static object Make(DbConnection connection, string kind)
    {
        switch (kind)
        {
            case "batch":
                return connection.CreateBatch();
            case "transaction":
                var transaction = connection.BeginTransaction();
                transaction.Commit();
                return transaction;
            default:
                var command = connection.CreateCommand();
                command.CommandText = "SELECT 1";
                switch (kind)
                {
                    case "executed command":
                        Assert.Equal(1L, command.ExecuteScalar());
                        break;
                    case "prepared command":
                        command.Prepare();
                        break;
                    case "command with parameters":
                        command.Parameters.Add(command.CreateParameter());
                        break;
                }

                return command;
        }
    }
}
