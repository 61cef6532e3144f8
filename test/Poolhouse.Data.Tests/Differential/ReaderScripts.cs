using System.Data;
using System.Data.Common;

namespace Poolhouse.Data.Tests.Differential;

internal static class ReaderScripts
{
    public static IReadOnlyDictionary<string, Func<CallRecorder, Task>> All { get; } =
        new Dictionary<string, Func<CallRecorder, Task>>(StringComparer.Ordinal)
        {
            ["rows and columns"] = ColumnsAsync,
            ["several results"] = ResultsAsync,
            ["closing the connection with the reader"] = CloseConnectionAsync,
            ["a closed reader"] = ClosedAsync,
            ["a reader closed with its connection"] = ConnectionClosedAsync,
            ["schema of the columns"] = SchemaAsync,
            ["enumerated and loaded into a table"] = EnumeratedAsync,
            ["streams, texts and sequential access"] = StreamsAsync,
            ["failures"] = FailuresAsync,
        };

    // These calls are made only with PostgreSQL, because they would crash SQLite's native library: columns that are not there,
    // and streams of expressions.
    private static string Rows(CallRecorder access) => access.IsPostgres
        ? "SELECT 1::bigint AS a, 'x'::text AS b, NULL::text AS c, 2.5::float8 AS d, '\\x0102'::bytea AS e UNION ALL SELECT 2, " +
            "'y', 'z', 3.5, '\\x03' ORDER BY 1"
        : access.IsSqlServer
        ? "SELECT 1 AS a, 'x' AS b, NULL AS c, 2.5 AS d, 0x0102 AS e UNION ALL SELECT 2, 'y', 'z', 3.5, 0x03 ORDER BY 1"
        : "SELECT 1 AS a, 'x' AS b, NULL AS c, 2.5 AS d, x'0102' AS e UNION ALL SELECT 2, 'y', 'z', 3.5, x'03' ORDER BY 1";

    private static async Task ColumnsAsync(CallRecorder access)
    {
        await using var connection = await access.OpenAsync();
        await using var reader = await access.ReaderAsync(CallRecorder.Command(connection, Rows(access)));
        access.Note(
            "shape",
            $"{reader.FieldCount} {reader.VisibleFieldCount} {reader.HasRows} {reader.Depth} {reader.IsClosed} " +
            $"{reader.RecordsAffected}");
        if (access.IsPostgres)
        {
            await access.TryAsync("too early", () => reader.GetValue(0));
        }

        while (await access.ReadAsync(reader))
        {
            await access.TryAsync(
                "typed", () => $"{reader.GetInt32(0)} {reader.GetString(1)} {reader.GetInt64(0)} {reader.GetInt16(0)}");
            access.Note("more", reader.GetDouble(3).ToString(System.Globalization.CultureInfo.InvariantCulture));
            await access.TryAsync("generic", () => reader.GetFieldValue<long>(0));
            access.Note("generic later", await reader.GetFieldValueAsync<string>(1));
            access.Note("null", reader.IsDBNull(2));
            access.Note("null later", await reader.IsDBNullAsync(2));
            access.Note("by name", $"{reader["b"]} {reader[0]} {reader.GetOrdinal("d")} {reader.GetName(4)}");
            access.Note(
                "types", $"{reader.GetFieldType(0)} {reader.GetDataTypeName(1)} {reader.GetProviderSpecificFieldType(0)}");
            access.Note("bytes", reader.GetFieldValue<byte[]>(4));
            if (access.IsPostgres)
            {
                access.Note("length", reader.GetBytes(4, 0, new byte[2], 0, 2));
            }

            var values = new object[5];
            access.Note("values", reader.GetValues(values));
            access.Note("all", values);
            access.Note("specific", reader.GetProviderSpecificValue(1));
            if (access.IsPostgres)
            {
                await access.TryAsync("wrong type", () => reader.GetGuid(3));
                await access.TryAsync("no such column", () => reader.GetValue(17));
            }

            await access.TryAsync("no such name", () => reader.GetOrdinal("nowhere"));
            await access.TryAsync("null as text", () => reader.GetString(2));
        }

        access.Note("after the end", await access.ReadAsync(reader));
        access.Note("no more", await access.NextResultAsync(reader));
    }

    private static async Task ResultsAsync(CallRecorder access)
    {
        await using var connection = await access.OpenAsync();
        await access.ExecuteAsync(connection, "CREATE TEMPORARY TABLE v (a INTEGER)");
        var reader = await access.ReaderAsync(
            CallRecorder.Command(
                connection, "INSERT INTO v VALUES (1), (2); SELECT a FROM v ORDER BY a; DELETE FROM v; SELECT 7"));
        do
        {
            while (await access.ReadAsync(reader))
            {
                access.Note("value", reader.GetInt32(0));
            }
        }
        while (await access.NextResultAsync(reader));

        await access.DisposeAsync(reader);
        access.Note("affected", reader.RecordsAffected);
    }

    private static async Task CloseConnectionAsync(CallRecorder access)
    {
        await using var connection = await access.OpenAsync();
        access.NoteChanges(connection, static (_, _, to) => to.ToString());
        foreach (var closes in new[] { true, false })
        {
            if (connection.State == ConnectionState.Closed)
            {
                await access.OpenAsync(connection);
            }

            var reader = await access.ReaderAsync(
                CallRecorder.Command(connection, "SELECT 1"), closes ? CommandBehavior.CloseConnection : CommandBehavior.Default);
            access.Note("read", await access.ReadAsync(reader));
            await access.DisposeAsync(reader);
            access.Note("state", connection.State.ToString());
        }
    }

    private static async Task ClosedAsync(CallRecorder access)
    {
        await using var connection = await access.OpenAsync();
        var reader = await access.ReaderAsync(CallRecorder.Command(connection, "SELECT 1"));
        await access.ReadAsync(reader);
        await (access.IsAsync ? reader.CloseAsync() : Task.Run(reader.Close));
        access.Note("closed", reader.IsClosed);
        access.Note("affected", reader.RecordsAffected);
        await access.TryAsync("read", async () => await access.ReadAsync(reader));
        await access.TryAsync("next", async () => await access.NextResultAsync(reader));
        await access.TryAsync("value", () => reader.GetInt32(0));
        await access.DisposeAsync(reader);
        access.Note("goes on", await access.ScalarAsync(connection, "SELECT 2"));
    }

    private static async Task ConnectionClosedAsync(CallRecorder access)
    {
        await using var connection = await access.OpenAsync();
        var reader = await access.ReaderAsync(CallRecorder.Command(connection, "SELECT 1"));
        await access.ReadAsync(reader);
        await access.CloseAsync(connection);
        access.Note("closed", reader.IsClosed);
        await access.TryAsync("read", async () => await access.ReadAsync(reader));
        await access.DisposeAsync(reader);
        await access.OpenAsync(connection);
        access.Note("goes on", await access.ScalarAsync(connection, "SELECT 2"));
    }

    private static async Task SchemaAsync(CallRecorder access)
    {
        await using var connection = await access.OpenAsync();
        await using var reader = await access.ReaderAsync(CallRecorder.Command(connection, Rows(access)));
        access.Note("can", reader.CanGetColumnSchema() || !access.IsPostgres);
        await access.TryAsync(
            "table", () => reader.GetSchemaTable()?.Rows.Cast<DataRow>().Select(row => $"{row["ColumnName"]} {row["DataType"]}"));
        await access.TryAsync(
            "columns",
            async () => (await reader.GetColumnSchemaAsync()).Select(column => $"{column.ColumnName} {column.DataType}"));
        if (access.IsPostgres)
        {
            access.Note("columns at once", reader.GetColumnSchema().Select(column => column.ColumnName));
        }
    }

    private static async Task EnumeratedAsync(CallRecorder access)
    {
        await using var connection = await access.OpenAsync();
        await using (var reader = await access.ReaderAsync(CallRecorder.Command(connection, Rows(access))))
        {
            access.Note("records", reader.Cast<DbDataRecord>().Select(record => $"{record[0]} {record["b"]}").ToList());
        }

        await using (var reader = await access.ReaderAsync(
            CallRecorder.Command(connection, "SELECT 1 AS a, 'x' AS b UNION ALL SELECT 2, 'y' ORDER BY 1")))
        {
            using var table = new DataTable();
            table.Load(reader);
            access.Note("loaded", table.Rows.Cast<DataRow>().Select(row => row[1]));
        }
    }

    private static async Task StreamsAsync(CallRecorder access)
    {
        await using var connection = await access.OpenAsync();
        await using var reader = await access.ReaderAsync(
            CallRecorder.Command(connection, Rows(access)), CommandBehavior.SequentialAccess | CommandBehavior.SingleRow);
        access.Note("read", await access.ReadAsync(reader));
        if (access.IsPostgres)
        {
            using (var text = reader.GetTextReader(1))
            {
                access.Note("text", await text.ReadToEndAsync());
            }

            await using var stream = reader.GetStream(4);
            using var copy = new MemoryStream();
            await stream.CopyToAsync(copy);
            access.Note("stream", copy.ToArray());
        }

        access.Note("one row", await access.ReadAsync(reader));
    }

    private static async Task FailuresAsync(CallRecorder access)
    {
        await using var connection = await access.OpenAsync();
        await access.TryAsync("in a row", async () =>
        {
            await using var reader = await access.ReaderAsync(
                CallRecorder.Command(
                    connection,
                    access.IsPostgres ? "SELECT 1 / (2 - n) FROM generate_series(1, 3) n" : "SELECT abs(-9223372036854775808)"));
            while (await access.ReadAsync(reader))
            {
                access.Note("row", reader.GetValue(0));
            }
        });
        await access.TryAsync("in a second statement", async () =>
        {
            await using var reader =
                await access.ReaderAsync(CallRecorder.Command(connection, "SELECT 1; SELECT * FROM nowhere"));
            access.Note("first", await access.ReadAsync(reader));
            await access.NextResultAsync(reader);
        });
        access.Note("goes on", await access.ScalarAsync(connection, "SELECT 2"));
    }
}
