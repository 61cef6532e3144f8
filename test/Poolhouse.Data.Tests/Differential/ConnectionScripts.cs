using System.Data;

namespace Poolhouse.Data.Tests.Differential;

internal static class ConnectionScripts
{
    public static IReadOnlyDictionary<string, Func<CallRecorder, Task>> All { get; } =
        new Dictionary<string, Func<CallRecorder, Task>>(StringComparer.Ordinal)
        {
            ["open, close, states and events"] = StatesAsync,
            ["properties, open and closed"] = PropertiesAsync,
            ["use of a closed connection"] = ClosedAsync,
            ["schema"] = SchemaAsync,
        };

    private static async Task StatesAsync(CallRecorder access)
    {
        var connection = access.Source.CreateConnection();
        access.NoteChanges(connection, static (_, from, to) => $"{from} -> {to}");
        for (var i = 0; i < 2; i++)
        {
            access.Note("before", connection.State.ToString());
            await access.OpenAsync(connection);
            access.Note("open", connection.State.ToString());
            if (access.IsPostgres)
            {
                // SQLite's provider does not report it.
                await access.TryAsync("again", () => access.OpenAsync(connection));
            }

            access.Note("still open", connection.State.ToString());
            await access.CloseAsync(connection);
            await access.CloseAsync(connection);
            access.Note("closed", connection.State.ToString());
        }

        await access.OpenAsync(connection);
        await access.DisposeAsync(connection);
        access.Note("disposed", connection.State.ToString());
        await access.DisposeAsync(connection);
    }

    private static async Task PropertiesAsync(CallRecorder access)
    {
        using var connection = access.Source.CreateConnection();
        access.Note("closed database", connection.Database);
        access.Note("can batch", connection.CanCreateBatch);
        await access.OpenAsync(connection);
        access.Note("database", connection.Database);
        access.Note("server", connection.ServerVersion);
        if (access.IsPostgres)
        {
            // SQLite names the file, which is another one for each side.
            access.Note("source", connection.DataSource);
        }
    }

    private static async Task ClosedAsync(CallRecorder access)
    {
        await using var connection = access.Source.CreateConnection();
        await access.TryAsync("scalar", () => access.ScalarAsync(connection, "SELECT 1"));
        await access.TryAsync("reader", async () => await access.ReaderAsync(CallRecorder.Command(connection, "SELECT 1")));
        await access.TryAsync("begin", async () => await access.BeginAsync(connection));
        await access.OpenAsync(connection);
        var command = CallRecorder.Command(connection, "SELECT 1");
        await access.CloseAsync(connection);
        await access.TryAsync("after close", () => access.ScalarAsync(command));
        await access.OpenAsync(connection);
        await access.TryAsync("open again", () => access.ScalarAsync(command));
    }

    private static async Task SchemaAsync(CallRecorder access)
    {
        await using var connection = await access.OpenAsync();
        await access.TryAsync("collections", async () =>
            (access.IsAsync ? await connection.GetSchemaAsync() : connection.GetSchema()).Rows.Cast<DataRow>()
                .Select(row => row[0]));
        await access.TryAsync("reserved words", async () =>
            (access.IsAsync
                ? await connection.GetSchemaAsync("ReservedWords")
                : connection.GetSchema("ReservedWords")).Rows.Count);
        await access.TryAsync("no such collection", async () =>
            (access.IsAsync ? await connection.GetSchemaAsync("Nonsense") : connection.GetSchema("Nonsense")).Rows.Count);
    }
}
