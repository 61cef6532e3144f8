using System.Data;
using System.Data.Common;

namespace Poolhouse.Data.Tests.Differential;

/// <summary>
/// Calls whose result depends on the state of a related object: its connection, reader or transaction is open, has ended, is
/// disposed, or belongs to another object.
/// </summary>
internal static class StateScripts
{
    public static IReadOnlyDictionary<string, Func<CallRecorder, Task>> All { get; } =
        new Dictionary<string, Func<CallRecorder, Task>>(StringComparer.Ordinal)
        {
            ["properties of a disposed command"] = DisposedCommandAsync,
            ["transaction of another connection"] = ForeignTransactionAsync,
            ["transaction that has ended"] = EndedTransactionAsync,
            ["command while its reader is open"] = BusyCommandAsync,
            ["reader whose connection is closed"] = OrphanedReaderAsync,
            ["reader whose command is disposed"] = ReaderOfDisposedCommandAsync,
            ["command that changes its connection"] = MovedCommandAsync,
            ["connection that is closed and disposed twice"] = ClosedConnectionAsync,
            ["state changes"] = StateChangesAsync,
            ["transaction whose connection is closed"] = OrphanedTransactionAsync,
            ["rules of parameters"] = ParametersAsync,
            ["behaviors"] = BehaviorsAsync,
        };

    private static async Task DisposedCommandAsync(CallRecorder access)
    {
        await using var connection = await access.OpenAsync();

        // Npgsql gives the last disposed command of a connection out again: that one is empty, and the others keep what they had.
        await using (var spare = connection.CreateCommand())
        {
            var command = CallRecorder.Command(connection, "SELECT 1");
            command.CommandTimeout = 7;
            CallRecorder.Add(command, "a", 1);
            if (!access.IsPostgres)
            {
                access.Note("scalar", await access.ScalarAsync(command));
            }

            await access.DisposeAsync(command);
            await access.DisposeAsync(command);
            await access.TryAsync("text", () => command.CommandText);
            await access.TryAsync("timeout", () => command.CommandTimeout);
            await access.TryAsync("type", () => command.CommandType.ToString());
            await access.TryAsync("parameters", () => command.Parameters.Count);
            await access.TryAsync("updated", () => command.UpdatedRowSource.ToString());
            await access.TryAsync("visible", () => command.DesignTimeVisible);
            await access.TryAsync("transaction", () => command.Transaction is null);
            if (!access.IsPostgres)
            {
                // Npgsql rejects these, as for a command whose reader is open. The replacement command of a wrapper accepts them.
                await access.DoAsync("set text", () => command.CommandText = "SELECT 2");
                await access.DoAsync("set timeout", () => command.CommandTimeout = 3);
                await access.DoAsync("set type", () => command.CommandType = CommandType.Text);
                await access.DoAsync("set transaction", () => command.Transaction = null);
            }

            await access.TryAsync("new parameter", () => command.CreateParameter().ParameterName);
            await access.TryAsync("text", () => command.CommandText);
            await access.DoAsync("cancel", command.Cancel);
        }

        access.Note("goes on", await access.ScalarAsync(connection, "SELECT 1"));
    }

    private static async Task ForeignTransactionAsync(CallRecorder access)
    {
        await using var first = await access.OpenAsync();
        await using var second = await access.OpenAsync();
        await using var transaction = await access.BeginAsync(first);
        await using var command = CallRecorder.Command(second, "SELECT 1");
        await access.DoAsync("set", () => command.Transaction = transaction);
        await access.TryAsync("scalar", () => access.ScalarAsync(command));
        await access.TryAsync("command", async () => await access.ExecuteAsync(command));
        await access.TryAsync("reader", async () => await access.DisposeAsync(await access.ReaderAsync(command)));
        await access.DoAsync("taken off", () => command.Transaction = null);
        await access.TryAsync("scalar", () => access.ScalarAsync(command));

        // Set before the command has an open connection.
        await using var closed = access.Source.CreateConnection();
        await using var early = CallRecorder.Command(closed, "SELECT 1");
        await access.DoAsync("set early", () => early.Transaction = transaction);
        await access.OpenAsync(closed);
        await access.TryAsync("early", () => access.ScalarAsync(early));
        await access.CommitAsync(transaction);
        await access.TryAsync("after its end", () => access.ScalarAsync(early));
    }

    private static async Task EndedTransactionAsync(CallRecorder access)
    {
        await using var connection = await access.OpenAsync();
        var transaction = await access.BeginAsync(connection);
        await using var command = CallRecorder.Command(connection, "SELECT 1", transaction);
        access.Note("within", await access.ScalarAsync(command));
        await access.RollbackAsync(transaction);
        await access.TryAsync("after", () => access.ScalarAsync(command));
        await access.TryAsync("connection", () => transaction.Connection is null);
        await access.DisposeAsync(transaction);
        await access.TryAsync("disposed", () => access.ScalarAsync(command));
        if (!access.IsPostgres)
        {
            // Npgsql throws; ours is null, as the documentation of DbTransaction says.
            await access.TryAsync("connection", () => transaction.Connection is null);
        }

        await using var next = await access.BeginAsync(connection);
        await access.DoAsync("next", () => command.Transaction = next);
        await access.TryAsync("next", () => access.ScalarAsync(command));
    }

    private static async Task BusyCommandAsync(CallRecorder access)
    {
        await using var connection = await access.OpenAsync();
        await using var command = CallRecorder.Command(connection, "SELECT 1 UNION SELECT 2");
        await using (var reader = await access.ReaderAsync(command))
        {
            await access.ReadAsync(reader);
            if (access.IsPostgres)
            {
                // SQLite runs several statements of a connection at once, and its provider resets the one that is read when it is
                // executed again.
                await access.TryAsync("again", () => access.ScalarAsync(command));
            }

            await access.DoAsync("text", () => command.CommandText = "SELECT 3");
            await access.TryAsync("text", () => command.CommandText);
            await access.DoAsync("no connection", () => command.Connection = null);
            await access.TryAsync("connection", () => command.Connection == connection);
            await access.TryAsync("read", async () => await access.ReadAsync(reader));
        }

        await access.DoAsync("connection", () => command.Connection = connection);
        await access.TryAsync("scalar", () => access.ScalarAsync(command));
    }

    private static async Task OrphanedReaderAsync(CallRecorder access)
    {
        var connection = await access.OpenAsync();
        await using var command = CallRecorder.Command(connection, "SELECT 1 UNION SELECT 2");
        var reader = await access.ReaderAsync(command);
        await access.ReadAsync(reader);
        await access.CloseAsync(connection);
        access.Note("closed", reader.IsClosed);
        await access.TryAsync("value", () => reader.GetValue(0));
        await access.TryAsync("read", async () => await access.ReadAsync(reader));
        await access.TryAsync("next", async () => await access.NextResultAsync(reader));
        await access.TryAsync("count", () => reader.FieldCount);
        await access.DisposeAsync(reader);
        access.Note("state", connection.State.ToString());
        await access.OpenAsync(connection);
        await access.TryAsync("scalar", () => access.ScalarAsync(command));
        await access.DisposeAsync(connection);
    }

    private static async Task ReaderOfDisposedCommandAsync(CallRecorder access)
    {
        await using var connection = await access.OpenAsync();
        var command = CallRecorder.Command(connection, "SELECT 1 UNION SELECT 2");
        if (!access.IsPostgres)
        {
            // SQLite's closes the reader with its command.
            access.Note("skipped", value: true);
            await access.DisposeAsync(command);
            return;
        }

        await using (var reader = await access.ReaderAsync(command))
        {
            await access.DisposeAsync(command);
            await access.TryAsync("read", async () => await access.ReadAsync(reader));
            await access.TryAsync("value", () => reader.GetValue(0));
            await access.TryAsync("read", async () => await access.ReadAsync(reader));
            await access.TryAsync("read", async () => await access.ReadAsync(reader));
        }

        access.Note("goes on", await access.ScalarAsync(connection, "SELECT 3"));
    }

    private static async Task MovedCommandAsync(CallRecorder access)
    {
        await using var first = await access.OpenAsync();
        await using var second = await access.OpenAsync();
        await using var command = CallRecorder.Command(first, "SELECT 1");
        access.Note("first", await access.ScalarAsync(command));
        command.Connection = second;
        access.Note("second", await access.ScalarAsync(command));
        await access.CloseAsync(first);
        access.Note("second", await access.ScalarAsync(command));
        await access.CloseAsync(second);
        await access.TryAsync("closed", () => access.ScalarAsync(command));
        await access.OpenAsync(first);
        command.Connection = first;
        access.Note("first again", await access.ScalarAsync(command));
        await access.DisposeAsync(first);
        await access.TryAsync("disposed", () => access.ScalarAsync(command));
    }

    private static async Task ClosedConnectionAsync(CallRecorder access)
    {
        var connection = access.Source.CreateConnection();
        await access.TryAsync("close closed", () => access.CloseAsync(connection));
        await access.OpenAsync(connection);
        if (access.IsPostgres)
        {
            // SQLite's provider accepts it; ours is an error, as the documentation of DbConnection says.
            await access.TryAsync("open open", () => access.OpenAsync(connection));
        }

        access.Note("state", connection.State.ToString());
        await access.TryAsync("scalar", () => access.ScalarAsync(connection, "SELECT 1"));
        await access.TryAsync("close", () => access.CloseAsync(connection));
        await access.TryAsync("close again", () => access.CloseAsync(connection));
        await access.TryAsync("version", () => connection.ServerVersion.Length > 0);
        await access.TryAsync("database", () => connection.Database.Length > 0);
        if (access.IsPostgres)
        {
            // SQLite's provider does not support it, open or closed.
            await access.DoAsync("change database", () => connection.ChangeDatabase("other"));
        }

        await access.TryAsync("dispose", () => access.DisposeAsync(connection));
        await access.TryAsync("dispose again", () => access.DisposeAsync(connection));
        access.Note("state", connection.State.ToString());
    }

    private static async Task StateChangesAsync(CallRecorder access)
    {
        var connection = access.Source.CreateConnection();
        access.NoteChanges(
            connection, (sender, from, to) => $"{from} {to} {ReferenceEquals(sender, connection)} {connection.State}");
        await access.OpenAsync(connection);
        await access.TryAsync("failing", () => access.ScalarAsync(connection, "SELEC"));
        await access.CloseAsync(connection);
        await access.CloseAsync(connection);
        await access.OpenAsync(connection);
        await access.DisposeAsync(connection);
    }

    private static async Task OrphanedTransactionAsync(CallRecorder access)
    {
        await using var connection = await access.OpenAsync();
        var transaction = await access.BeginAsync(connection);
        await access.CloseAsync(connection);
        await access.TryAsync("connection", () => transaction.Connection is null);
        await access.TryAsync("commit", () => access.CommitAsync(transaction));
        await access.TryAsync("rollback", () => access.RollbackAsync(transaction));
        await access.TryAsync("dispose", () => access.DisposeAsync(transaction));
        await access.OpenAsync(connection);
        await using var next = await access.BeginAsync(connection);
        access.Note("next", await access.ScalarAsync(connection, "SELECT 1", next));
    }

    private static async Task ParametersAsync(CallRecorder access)
    {
        await using var connection = await access.OpenAsync();
        await using var command = CallRecorder.Command(connection, access.IsPostgres ? "SELECT @a::text" : "SELECT @a");
        var parameter = command.CreateParameter();
        access.Note("name", parameter.ParameterName);
        access.Note("direction", parameter.Direction.ToString());
        access.Note("type", parameter.DbType.ToString());
        access.Note("value", parameter.Value);
        await access.TryAsync("wrong direction", () => parameter.Direction = (ParameterDirection)42);
        parameter.ParameterName = "@a";
        command.Parameters.Add(parameter);
        await access.TryAsync("no value", () => access.ScalarAsync(command));
        parameter.Value = DBNull.Value;
        await access.TryAsync("null", () => access.ScalarAsync(command));
        parameter.Value = "text";
        await access.TryAsync("text", () => access.ScalarAsync(command));
        parameter.Size = 2;
        await access.TryAsync("size", () => access.ScalarAsync(command));
        await access.TryAsync("twice", () => command.Parameters.Add(parameter));
        await access.TryAsync("by name", () => command.Parameters["@a"].Value);
        await access.TryAsync("by bare name", () => command.Parameters.Contains("a"));
        await access.DoAsync("set by name", () => command.Parameters["@a"] = parameter);
        await access.DoAsync("copy", () => command.Parameters.CopyTo(new DbParameter[3], 1));
        await access.DoAsync("insert", () => command.Parameters.Insert(0, command.CreateParameter()));
        await access.DoAsync("remove missing", () => command.Parameters.RemoveAt("nowhere"));
        command.Parameters.Clear();
        access.Note("count", command.Parameters.Count);
    }

    private static async Task BehaviorsAsync(CallRecorder access)
    {
        await using var connection = await access.OpenAsync();
        foreach (var behavior in new[]
        {
            CommandBehavior.SchemaOnly,
            CommandBehavior.SingleRow,
            CommandBehavior.SequentialAccess,
            CommandBehavior.SingleResult | CommandBehavior.SingleRow,
        })
        {
            await access.TryAsync(behavior.ToString(), async () =>
            {
                await using var reader =
                    await access.ReaderAsync(CallRecorder.Command(connection, "SELECT 1 AS a UNION SELECT 2"), behavior);
                var rows = 0;
                while (await access.ReadAsync(reader))
                {
                    rows++;
                }

                return $"{reader.FieldCount} {reader.HasRows} {rows} {reader.RecordsAffected}";
            });
        }

        access.Note("state", connection.State.ToString());
    }
}
