using System.Data;
using System.Data.Common;

namespace Poolhouse.Data.Tests.Differential;

/// <summary>
/// The public contract of ADO.NET as the specification suites check it: states, defaults, and what is thrown for each mistake.
/// </summary>
internal static class ContractScripts
{
    public static IReadOnlyDictionary<string, Func<CallRecorder, Task>> All { get; } =
        new Dictionary<string, Func<CallRecorder, Task>>(StringComparer.Ordinal)
        {
            ["contract of a connection"] = ConnectionAsync,
            ["contract of a command without a connection"] = BareCommandAsync,
            ["contract of a command"] = CommandAsync,
            ["contract of a command's parameters"] = ParametersAsync,
            ["contract of a transaction"] = TransactionAsync,
            ["contract of a reader"] = ReaderAsync,
            ["contract of a reader before its first row and after its last"] = RowsAsync,
            ["contract of a closed reader"] = ClosedReaderAsync,
            ["contract of a reader that closes its connection"] = ClosingReaderAsync,
            ["contract of cancellation"] = CancellationAsync,
        };

    private static async Task ConnectionAsync(CallRecorder access)
    {
        var connection = access.Source.CreateConnection();
        await access.TryAsync("begin closed", () => connection.BeginTransaction());
        await access.TryAsync("begin closed async", async () => await connection.BeginTransactionAsync());
        await access.TryAsync("create closed", () => connection.CreateCommand().Connection == connection);
        await access.TryAsync("cancelled open", () => connection.OpenAsync(new CancellationToken(canceled: true)));
        access.Note("state", connection.State.ToString());
        await access.OpenAsync(connection);
        await access.DoAsync("database null", () => connection.ChangeDatabase(null!));
        await access.DoAsync("database empty", () => connection.ChangeDatabase(""));
        await access.TryAsync("collection null", () => connection.GetSchema(null!).Rows.Count > 0);
        access.Note("state", connection.State.ToString());
        await access.DisposeAsync(connection);
        if (access.IsPostgres)
        {
            // SQLite's can be opened again.
            await access.TryAsync("open disposed", () => access.OpenAsync(connection));
            await access.TryAsync("begin disposed", () => connection.BeginTransaction());
        }

        await access.TryAsync("close disposed", () => access.CloseAsync(connection));
        access.Note("state", connection.State.ToString());
    }

    private static async Task BareCommandAsync(CallRecorder access)
    {
        await using var connection = access.Source.CreateConnection();
        await using var command = connection.CreateCommand();
        command.Connection = null;
        await access.TryAsync("no connection, no text", () => access.ScalarAsync(command));
        command.CommandText = "SELECT 1";
        await access.TryAsync("scalar", () => access.ScalarAsync(command));
        await access.TryAsync("command", async () => await access.ExecuteAsync(command));
        await access.TryAsync("reader", async () => await access.ReaderAsync(command));
        if (!access.IsSqlServer)
        {
            // SqlClient's does nothing; ours is an error, as with the other providers.
            await access.DoAsync("prepare", command.Prepare);
        }

        await access.DoAsync("cancel", command.Cancel);
        command.Connection = connection;
        await access.TryAsync("closed scalar", () => access.ScalarAsync(command));
        await access.TryAsync("closed command", async () => await access.ExecuteAsync(command));
        await access.TryAsync("closed reader", async () => await access.ReaderAsync(command));
        if (!access.IsSqlServer)
        {
            await access.DoAsync("closed prepare", command.Prepare);
        }

        await access.DoAsync("closed cancel", command.Cancel);
    }

    private static async Task CommandAsync(CallRecorder access)
    {
        await using var connection = await access.OpenAsync();
        await using var command = connection.CreateCommand();
        await access.TryAsync("text", () => command.CommandText);
        await access.TryAsync("no text", () => access.ScalarAsync(command));
        await access.DoAsync("no text prepared", command.Prepare);
        command.CommandText = null;
        await access.TryAsync("text null", () => command.CommandText);
        await access.TryAsync("negative timeout", () => command.CommandTimeout = -1);
        await access.TryAsync("transaction", () => command.Transaction);
        await access.TryAsync("source", () => command.UpdatedRowSource.ToString());
        command.CommandText = "SELECT 1";
        await access.DoAsync("cancel before", command.Cancel);
        await using (var reader = await access.ReaderAsync(command))
        {
            await access.TryAsync(
                "while open", async () => await access.ReaderAsync(CallRecorder.Command(connection, "SELECT 2")));
            await access.ReadAsync(reader);
        }

        access.Note("scalar", await access.ScalarAsync(command));
        await access.DoAsync("cancel after", command.Cancel);
        await access.TryAsync("several", () => access.ScalarAsync(connection, "SELECT 1; SELECT 2"));
        await access.TryAsync("single row", async () => await RowsOfAsync(access, connection, CommandBehavior.SingleRow));
        await access.TryAsync("single result", async () => await RowsOfAsync(access, connection, CommandBehavior.SingleResult));
        await access.TryAsync("sequential", async () => await RowsOfAsync(access, connection, CommandBehavior.SequentialAccess));
    }

    private static async Task<string> RowsOfAsync(CallRecorder access, DbConnection connection, CommandBehavior behavior)
    {
        await using var reader =
            await access.ReaderAsync(CallRecorder.Command(connection, "SELECT 1 UNION SELECT 2; SELECT 3"), behavior);
        var rows = 0;
        do
        {
            while (await access.ReadAsync(reader))
            {
                rows++;
            }
        }
        while (await access.NextResultAsync(reader));

        return $"{rows} rows";
    }

    private static async Task ParametersAsync(CallRecorder access)
    {
        await using var connection = await access.OpenAsync();
        await using var command = CallRecorder.Command(connection, "SELECT 1");
        CallRecorder.Add(command, "a", 1);
        CallRecorder.Add(command, "b", 2);
        await access.TryAsync("missing name", () => command.Parameters["nowhere"].ParameterName);
        await access.TryAsync("missing index", () => command.Parameters[2].ParameterName);
        await access.TryAsync("add null", () => command.Parameters.Add(null!));
        await access.TryAsync("add text", () => command.Parameters.Add("text"));
        await access.DoAsync("remove", () => command.Parameters.RemoveAt("a"));
        await access.TryAsync("index", () => command.Parameters.IndexOf("b"));
        await access.TryAsync("contains", () => command.Parameters.Contains("a"));
        await using var other = connection.CreateCommand();
        await access.TryAsync("shared", () => other.Parameters.Add(command.Parameters[0]));
    }

    private static async Task TransactionAsync(CallRecorder access)
    {
        await using var connection = await access.OpenAsync();
        var transaction = await access.BeginAsync(connection);
        access.Note("connection", transaction.Connection == connection);
        access.Note("level", transaction.IsolationLevel.ToString());
        await access.TryAsync("second", async () => await access.BeginAsync(connection));
        await access.TryAsync("command", () => access.ScalarAsync(connection, "SELECT 1", transaction));
        await access.CommitAsync(transaction);
        await access.TryAsync("commit again", () => access.CommitAsync(transaction));
        await access.TryAsync("rollback after", () => access.RollbackAsync(transaction));
        await access.DisposeAsync(transaction);
        await access.DisposeAsync(transaction);
        await access.TryAsync("third", async () => await access.DisposeAsync(await access.BeginAsync(connection)));
    }

    private static async Task<DbDataReader> OpenReaderAsync(CallRecorder access, DbConnection connection) =>
        await access.ReaderAsync(
        CallRecorder.Command(
            connection,
            access.IsPostgres ? "SELECT 1::int8 AS a, 'x'::text AS b, NULL::text AS c" : "SELECT 1 AS a, 'x' AS b, NULL AS c"));

    private static async Task ReaderAsync(CallRecorder access)
    {
        await using var connection = await access.OpenAsync();
        await using var reader = await OpenReaderAsync(access, connection);
        await access.ReadAsync(reader);
        await access.TryAsync("name out of range", () => reader.GetName(3));
        await access.TryAsync("name negative", () => reader.GetName(-1));
        await access.TryAsync("value out of range", () => reader.GetValue(3));
        await access.TryAsync("type out of range", () => reader.GetFieldType(3));
        await access.TryAsync("type name out of range", () => reader.GetDataTypeName(-1));
        await access.TryAsync("null out of range", () => reader.IsDBNull(3));
        await access.TryAsync("ordinal", () => reader.GetOrdinal("B"));
        await access.TryAsync("no ordinal", () => reader.GetOrdinal("nowhere"));
        await access.TryAsync("no column", () => reader["nowhere"]);
        await access.TryAsync("values", () => reader.GetValues(new object[2]));
        await access.TryAsync("more values", () => reader.GetValues(new object[5]));
        await access.TryAsync("null text", () => reader.GetString(2));
        await access.TryAsync("null value", () => reader.GetValue(2));
        await access.TryAsync("null of T", () => reader.GetFieldValue<string>(2));
        await access.TryAsync("null of object", () => reader.GetFieldValue<object>(2));
        await access.TryAsync("is null", () => reader.IsDBNull(2));
        await access.TryAsync("int", () => reader.GetInt32(0));
        await access.TryAsync("guid", () => access.IsPostgres ? reader.GetGuid(0).ToString() : "not the same");
        if (access.IsPostgres)
        {
            // SQLite's provider ends the process (SIGSEGV) for no buffer, also without a wrapper.
            await access.TryAsync("chars", () => reader.GetChars(1, 0, null, 0, 0));
        }

        await access.TryAsync("enumerator", () => reader.GetEnumerator().MoveNext());
        await access.TryAsync("depth", () => reader.Depth);
        await access.TryAsync("visible", () => reader.VisibleFieldCount);
        await access.TryAsync("rows", () => reader.HasRows);
        await access.TryAsync("text reader", () => reader.GetTextReader(1).ReadToEnd());
        await access.TryAsync("specific type", () => reader.GetProviderSpecificFieldType(1).Name);
    }

    private static async Task RowsAsync(CallRecorder access)
    {
        await using var connection = await access.OpenAsync();
        await using var reader = await OpenReaderAsync(access, connection);
        foreach (var when in new[] { "before", "after" })
        {
            await access.TryAsync(when + " value", () => reader.GetValue(0));
            await access.TryAsync(when + " null", () => reader.IsDBNull(0));
            await access.TryAsync(when + " of T", () => reader.GetFieldValue<long>(0));
            await access.TryAsync(when + " of T async", async () => await reader.GetFieldValueAsync<long>(0));
            await access.TryAsync(when + " name", () => reader.GetName(0));
            await access.TryAsync(when + " count", () => reader.FieldCount);
            await access.TryAsync(when + " rows", () => reader.HasRows);
            while (await access.ReadAsync(reader))
            {
            }
        }

        access.Note("next", await access.NextResultAsync(reader));
        await access.TryAsync("read", async () => await access.ReadAsync(reader));
        await access.TryAsync("value", () => reader.GetValue(0));
        await access.TryAsync("count", () => reader.FieldCount);
    }

    private static async Task ClosedReaderAsync(CallRecorder access)
    {
        await using var connection = await access.OpenAsync();
        var reader = await OpenReaderAsync(access, connection);
        await access.ReadAsync(reader);
        await (access.IsAsync ? reader.CloseAsync() : Task.Run(reader.Close));
        await reader.CloseAsync();
        access.Note("closed", reader.IsClosed);
        await access.TryAsync("affected", () => reader.RecordsAffected);
        await access.TryAsync("read", async () => await access.ReadAsync(reader));
        await access.TryAsync("next", async () => await access.NextResultAsync(reader));
        await access.TryAsync("value", () => reader.GetValue(0));
        await access.TryAsync("of T", () => reader.GetFieldValue<long>(0));
        await access.TryAsync("null", () => reader.IsDBNull(0));
        await access.TryAsync("name", () => reader.GetName(0));
        await access.TryAsync("ordinal", () => reader.GetOrdinal("a"));
        await access.TryAsync("type", () => reader.GetFieldType(0));
        await access.TryAsync("type name", () => reader.GetDataTypeName(0));
        await access.TryAsync("count", () => reader.FieldCount);
        if (access.IsPostgres)
        {
            // SQLite's provider returns false; ours is an error, as for everything else of a closed reader.
            await access.TryAsync("rows", () => reader.HasRows);
        }

        if (!access.IsMariaDb && !access.IsSqlServer)
        {
            // SqlClient's throws for both, MySqlConnector's has null for the other; ours is 0 and an error, as with the other
            // providers.
            await access.TryAsync("depth", () => reader.Depth);
            await access.TryAsync("schema", () => reader.GetSchemaTable());
        }

        await access.TryAsync("values", () => reader.GetValues(new object[2]));
        await access.TryAsync("enumerator", () => reader.GetEnumerator().MoveNext());
        await access.DisposeAsync(reader);
        access.Note("state", connection.State.ToString());
    }

    private static async Task ClosingReaderAsync(CallRecorder access)
    {
        await using var connection = await access.OpenAsync();
        var reader = await access.ReaderAsync(CallRecorder.Command(connection, "SELECT 1"), CommandBehavior.CloseConnection);
        access.Note("state", connection.State.ToString());
        await access.DisposeAsync(reader);
        access.Note("state", connection.State.ToString());
        await access.OpenAsync(connection);
        await access.TryAsync(
            "failing",
            async () => await access.ReaderAsync(CallRecorder.Command(connection, "SELEC"), CommandBehavior.CloseConnection));
        if (access.IsPostgres)
        {
            // SQLite's provider leaves it open. The caller gets no reader that could close it, so ours is closed.
            access.Note("state", connection.State.ToString());
        }
    }

    private static async Task CancellationAsync(CallRecorder access)
    {
        await using var connection = await access.OpenAsync();
        await using var command = CallRecorder.Command(connection, "SELECT 1");
        var cancelled = new CancellationToken(canceled: true);
        await access.TryAsync("scalar", async () => await command.ExecuteScalarAsync(cancelled));
        await access.TryAsync("command", async () => await command.ExecuteNonQueryAsync(cancelled));
        await access.TryAsync("reader", async () => await command.ExecuteReaderAsync(cancelled));
        if (!access.IsMariaDb)
        {
            // Afterwards, MySqlConnector's connection is in a transaction that its caller has no object for.
            await access.TryAsync("begin", async () => await connection.BeginTransactionAsync(cancelled));
        }

        await using (var reader = await access.ReaderAsync(command))
        {
            await access.TryAsync("read", async () => await reader.ReadAsync(cancelled));
        }

        access.Note("state", connection.State.ToString());
    }
}
