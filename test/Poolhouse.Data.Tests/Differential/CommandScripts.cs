using System.Data;
using System.Data.Common;

namespace Poolhouse.Data.Tests.Differential;

internal static class CommandScripts
{
    public static IReadOnlyDictionary<string, Func<CallRecorder, Task>> All { get; } =
        new Dictionary<string, Func<CallRecorder, Task>>(StringComparer.Ordinal)
        {
            ["results of the three executions"] = ResultsAsync,
            ["parameters"] = ParametersAsync,
            ["failures and continuing"] = FailuresAsync,
            ["a command created before its connection is opened"] = EarlyAsync,
            ["prepared, twice"] = PreparedAsync,
            ["defaults and settings"] = SettingsAsync,
            ["commands of the data source"] = OfSourceAsync,
            ["batches"] = BatchesAsync,
            ["disposed command"] = DisposedAsync,
        };

    private static async Task ResultsAsync(CallRecorder access)
    {
        await using var connection = await access.OpenAsync();
        access.Note("create", await access.ExecuteAsync(connection, "CREATE TEMPORARY TABLE t (a INTEGER PRIMARY KEY, b TEXT)"));
        access.Note("insert", await access.ExecuteAsync(connection, "INSERT INTO t VALUES (1, 'x'), (2, NULL)"));
        access.Note("update", await access.ExecuteAsync(connection, "UPDATE t SET b = 'y' WHERE a = 1"));
        access.Note("scalar", await access.ScalarAsync(connection, "SELECT b FROM t ORDER BY a"));
        access.Note("null", await access.ScalarAsync(connection, "SELECT b FROM t WHERE a = 2"));
        access.Note("none", await access.ScalarAsync(connection, "SELECT b FROM t WHERE a = 3"));
        access.Note("select as command", await access.ExecuteAsync(connection, "SELECT 1"));
    }

    private static async Task ParametersAsync(CallRecorder access)
    {
        await using var connection = await access.OpenAsync();
        await using var command =
            CallRecorder.Command(connection, access.IsPostgres ? "SELECT @a::int + 1, @b::text" : "SELECT @a + 1, @b");
        CallRecorder.Add(command, "a", 1);
        CallRecorder.Add(command, "b", "text");
        access.Note("type", command.Parameters[0].GetType().Name);
        access.Note("count", command.Parameters.Count);
        access.Note("name", command.Parameters["b"].ParameterName);
        access.Note("first", await access.ScalarAsync(command));
        command.Parameters[0].Value = 5;
        access.Note("second", await access.ScalarAsync(command));
        command.Parameters.Clear();
        await access.TryAsync("without", () => access.ScalarAsync(command));
    }

    private static async Task FailuresAsync(CallRecorder access)
    {
        await using var connection = await access.OpenAsync();
        await access.TryAsync("syntax", () => access.ScalarAsync(connection, "SELEC 1"));
        await access.TryAsync(
            "no table", async () => await access.ReaderAsync(CallRecorder.Command(connection, "SELECT * FROM nowhere")));
        await access.ExecuteAsync(connection, "CREATE TEMPORARY TABLE u (a INTEGER PRIMARY KEY)");
        await access.ExecuteAsync(connection, "INSERT INTO u VALUES (1)");
        await access.TryAsync("duplicate", async () => await access.ExecuteAsync(connection, "INSERT INTO u VALUES (1)"));
        access.Note("goes on", await access.ScalarAsync(connection, "SELECT a FROM u"));
        access.Note("state", connection.State.ToString());
        await access.TryAsync("cancelled", async () =>
            await CallRecorder.Command(connection, "SELECT 1").ExecuteScalarAsync(new CancellationToken(canceled: true)));
        await access.TryAsync("no text", () => access.ScalarAsync(connection, string.Empty));
    }

    private static async Task EarlyAsync(CallRecorder access)
    {
        await using var connection = access.Source.CreateConnection();
        await using var command = CallRecorder.Command(connection, access.IsPostgres ? "SELECT @a::int" : "SELECT @a");
        CallRecorder.Add(command, "a", 7);
        for (var i = 0; i < 2; i++)
        {
            await access.OpenAsync(connection);
            access.Note("scalar", await access.ScalarAsync(command));
            access.Note("connection", ReferenceEquals(command.Connection, connection));
            await access.CloseAsync(connection);
        }

        command.Connection = null;
        await access.TryAsync("without connection", () => access.ScalarAsync(command));
    }

    private static async Task PreparedAsync(CallRecorder access)
    {
        await using var connection = await access.OpenAsync();
        await using var command = CallRecorder.Command(connection, access.IsPostgres ? "SELECT @a::int" : "SELECT @a");
        CallRecorder.Add(command, "a", 7);
        if (access.IsSqlServer)
        {
            // SqlClient prepares no command without it.
            command.Parameters[0].DbType = DbType.Int32;
        }

        for (var i = 0; i < 2; i++)
        {
            await (access.IsAsync ? command.PrepareAsync() : Task.Run(command.Prepare));
            access.Note("scalar", await access.ScalarAsync(command));
            command.Parameters[0].Value = 8;
            access.Note("again", await access.ScalarAsync(command));
            await access.CloseAsync(connection);
            await access.OpenAsync(connection);
            access.Note("unprepared", await access.ScalarAsync(command));
        }
    }

    private static async Task SettingsAsync(CallRecorder access)
    {
        await using var connection = await access.OpenAsync();
        foreach (var command in new[] { connection.CreateCommand(), access.Source.CreateConnection().CreateCommand() })
        {
            access.Note("timeout", command.CommandTimeout);
            access.Note("type", command.CommandType.ToString());
            access.Note("text", command.CommandText);
            access.Note("source", command.UpdatedRowSource.ToString());
            command.CommandTimeout = 3;
            command.UpdatedRowSource = UpdateRowSource.None;
            access.Note("changed", $"{command.CommandTimeout} {command.UpdatedRowSource}");
            await access.TryAsync("procedure", () => command.CommandType = CommandType.StoredProcedure);
            await access.TryAsync("table", () => command.CommandType = CommandType.TableDirect);
        }
    }

    private static async Task OfSourceAsync(CallRecorder access)
    {
        await using var command = access.Source.CreateCommand("SELECT 1");
        access.Note("scalar", await access.ScalarAsync(command));
        access.Note("command", await access.ExecuteAsync(command));
        await using (var reader = await access.ReaderAsync(command))
        {
            access.Note("read", await access.ReadAsync(reader));
            access.Note("value", reader.GetValue(0));
        }

        command.CommandText = "SELEC 1";
        await access.TryAsync("failure", () => access.ScalarAsync(command));
        await access.TryAsync("failed reader", async () => await access.ReaderAsync(command));
        command.CommandText = "SELECT 2";
        access.Note("goes on", await access.ScalarAsync(command));
    }

    private static async Task BatchesAsync(CallRecorder access)
    {
        await using var connection = await access.OpenAsync();
        await access.TryAsync("of the connection", () => RunAsync(access, connection.CreateBatch()));
        if (!access.IsMariaDb && !access.IsSqlServer)
        {
            // The data sources of MySqlConnector and of the runtime create batches that can be given no commands.
            await access.TryAsync("of the source", () => RunAsync(access, access.Source.CreateBatch()));
        }
    }

    private static async Task RunAsync(CallRecorder access, DbBatch batch)
    {
        await using var disposed = batch;
        foreach (var text in new[] { "SELECT 1", "SELECT 2" })
        {
            var command = batch.CreateBatchCommand();
            command.CommandText = text;
            batch.BatchCommands.Add(command);
        }

        access.Note("scalar", access.IsAsync ? await batch.ExecuteScalarAsync() : batch.ExecuteScalar());
        access.Note("command", access.IsAsync ? await batch.ExecuteNonQueryAsync() : batch.ExecuteNonQuery());
        await using var reader = access.IsAsync ? await batch.ExecuteReaderAsync() : batch.ExecuteReader();
        do
        {
            access.Note("read", await access.ReadAsync(reader));
            access.Note("value", reader.GetValue(0));
        }
        while (await access.NextResultAsync(reader));
    }

    private static async Task DisposedAsync(CallRecorder access)
    {
        await using var connection = await access.OpenAsync();
        var command = CallRecorder.Command(connection, "SELECT 1");
        await access.ScalarAsync(command);
        await access.DisposeAsync(command);
        await access.DisposeAsync(command);
        access.Note("goes on", await access.ScalarAsync(connection, "SELECT 2"));
    }
}
