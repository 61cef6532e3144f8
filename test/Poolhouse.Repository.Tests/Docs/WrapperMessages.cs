using System.Data.Common;
using System.Transactions;
using Microsoft.Data.Sqlite;
using Npgsql;
using Poolhouse.Data;

namespace Poolhouse.Repository.Tests.Docs;

/// <summary>Makes the connections, commands and readers of a pooled data source throw each of their messages, once.</summary>
internal static class WrapperMessages
{
    public static IReadOnlyDictionary<string, Action> All { get; } = new Dictionary<string, Action>(StringComparer.Ordinal)
    {
        ["cast to the provider's type"] = () => With(connection => _ = (SqliteConnection)connection),
        ["connection string set"] = () => With(connection => connection.ConnectionString = "Data Source=other"),
        ["connection string set while open"] = ChangeOpen,
        ["closed connection"] = () => WithCommand((connection, command) =>
        {
            connection.Close();
            command.ExecuteScalar();
        }),
        ["opened twice"] = () => With(connection => connection.Open()),
        ["opened by two calls"] = OpenTwiceAtOnce,
        ["command without connection"] = () => WithCommand((_, command) =>
        {
            command.Connection = null;
            command.ExecuteScalar();
        }),
        ["batch without connection"] = BatchWithoutConnection,
        ["batch of a data source"] = () => WithPostgres(source => _ = source.CreateBatch().Transaction),
        ["foreign connection"] =
            () => WithCommand((connection, command) => command.Connection = connection.Unwrap<SqliteConnection>()),
        ["connection for another provider"] =
            () => WithCommand((_, command) => WithPostgres(source => command.Connection = source.CreateConnection())),
        ["foreign transaction"] = () => WithCommand(
            (connection, command) => command.Transaction = connection.Unwrap<SqliteConnection>().BeginTransaction()),
        ["transaction left open"] = () => WithCommand((connection, command) =>
        {
            command.Transaction = connection.BeginTransaction();
            connection.Close();
            connection.Open();
            command.ExecuteScalar();
        }),
        ["transaction after its connection"] = () => With(connection =>
        {
            var transaction = connection.BeginTransaction();
            connection.Close();
            transaction.Commit();
        }),
        ["reader after its connection"] = () => WithCommand((connection, command) =>
        {
            var reader = command.ExecuteReader();
            connection.Close();
            reader.Read();
        }),
        ["unwrapped reader after its end"] = () => WithCommand((connection, command) =>
        {
            var reader = command.ExecuteReader();
            connection.Close();
            reader.Unwrap<SqliteDataReader>();
        }),
        ["unwrapped as another type"] = () => With(connection => connection.Unwrap<NpgsqlConnection>()),
        ["provider without transactions of System.Transactions"] = () => With(connection =>
        {
            using var transaction = new CommittableTransaction();
            connection.EnlistTransaction(transaction);
        }),
    };

    private static void With(Action<DbConnection> act)
    {
        using var source = PooledDataSource.Create(SqliteFactory.Instance, "Data Source=:memory:");
        using var connection = source.OpenConnection();
        act(connection);
    }

    private static void ChangeOpen()
    {
        using var factory = new PooledProviderFactory(SqliteFactory.Instance);
        using var connection = factory.CreateConnection();
        connection.ConnectionString = "Data Source=:memory:";
        connection.Open();
        connection.ConnectionString = "Data Source=other";
    }

    private static void WithCommand(Action<DbConnection, DbCommand> act) => With(connection =>
    {
        using var command = connection.CreateCommand();
        command.CommandText = "SELECT 1";
        act(connection, command);
    });

    // Nothing connects: no server is there.
    private static void WithPostgres(Action<PooledDataSource> act)
    {
        using var source = PooledDataSource.Create(NpgsqlFactory.Instance, "Host=localhost");
        act(source);
    }

    private static void BatchWithoutConnection() => WithPostgres(source =>
    {
        using var connection = source.CreateConnection();
        using var batch = connection.CreateBatch();
        batch.Connection = null;
        batch.ExecuteNonQuery();
    });

    private static void OpenTwiceAtOnce()
    {
        var options = new DbPoolOptions();
        options.Pool.MaxSize = 1;
        using var source = PooledDataSource.Create(SqliteFactory.Instance, "Data Source=:memory:", options);
        using var first = source.OpenConnection();
        using var second = source.CreateConnection();
        _ = second.OpenAsync(CancellationToken.None);
        second.Open();
    }
}
