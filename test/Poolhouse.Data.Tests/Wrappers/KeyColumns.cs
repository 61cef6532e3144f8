using System.Data;
using System.Data.Common;
using Npgsql;
using Poolhouse.Data.Tests.Servers;

namespace Poolhouse.Data.Tests.Wrappers;

/// <summary>
/// <see cref="CommandBehavior.KeyInfo"/> has the same results as with the provider, in the default configuration, and leaves
/// no session behind.
/// </summary>
// Npgsql queries key columns on a second connection of its data source.
public sealed class KeyColumns(PostgresServer server)
{
    private const string Query = "SELECT id, name FROM keyed";

    public static TheoryData<string> Uses => ["schema table", "schema table async", "column schema async", "fill", "fill schema"];

    [Theory]
    [MemberData(nameof(Uses))]
    public async Task Key_columns_are_reported_as_by_the_provider(string use)
    {
        var connectionString = await server.CreateDatabaseAsync();
        await using var own = NpgsqlDataSource.Create(connectionString + ";Maximum Pool Size=2");
        await using (var create = own.CreateCommand("CREATE TABLE keyed (id INT PRIMARY KEY, name TEXT NOT NULL UNIQUE)"))
        {
            await create.ExecuteNonQueryAsync();
        }

        await using var pooled =
            PooledDataSource.Create(NpgsqlFactory.Instance, connectionString + ";Timeout=30", Options(maxSize: 1));
        for (var i = 0; i < 2; i++)
        {
            Assert.Equal(await ReadAsync(own, use), await ReadAsync(pooled, use));
        }

        Assert.Equal((0L, 1L), (pooled.GetStatistics().Leased, pooled.GetStatistics().MaxSize));
    }

    [Fact]
    public async Task The_session_that_answers_ends_with_the_lease()
    {
        var connectionString = await server.CreateDatabaseAsync();
        await using var watch = NpgsqlDataSource.Create(connectionString + ";Pooling=false");
        await using var pooled =
            PooledDataSource.Create(NpgsqlFactory.Instance, connectionString + ";Application Name=keyed", Options(maxSize: 1));
        for (var i = 0; i < 5; i++)
        {
            await using var connection = await pooled.OpenConnectionAsync();
            await using var command = Command(connection, "SELECT oid, relname FROM pg_class");
            await using var reader = await command.ExecuteReaderAsync(CommandBehavior.KeyInfo);
            Assert.NotNull(reader.GetSchemaTable());
        }

        await pooled.DisposeAsync();
        await using var count = watch.CreateCommand("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'keyed'");
        long sessions;
        do
        {
            // A backend outlives the client's close for a moment. The test's own limit ends the wait.
            TestContext.Current.CancellationToken.ThrowIfCancellationRequested();
            sessions = (long)(await count.ExecuteScalarAsync(TestContext.Current.CancellationToken))!;
        }
        while (sessions != 0);

        Assert.Equal(0, sessions);
    }

    private static DbPoolOptions Options(int maxSize) => new() { Pool = new ResourcePoolOptions { MaxSize = maxSize } };

    private static async Task<string> ReadAsync(DbDataSource source, string use)
    {
        await using var connection = await source.OpenConnectionAsync();
        await using var command = Command(connection, Query);
        using var table = new DataTable();
        switch (use)
        {
            case "schema table":
                await using (var reader = await command.ExecuteReaderAsync(CommandBehavior.KeyInfo))
                {
                    return Text(reader.GetSchemaTable()!);
                }

            case "schema table async":
                await using (var reader = await command.ExecuteReaderAsync(CommandBehavior.KeyInfo | CommandBehavior.SchemaOnly))
                {
                    return Text((await reader.GetSchemaTableAsync())!);
                }

            case "column schema async":
                await using (var reader = await command.ExecuteReaderAsync(CommandBehavior.KeyInfo))
                {
                    return string.Join(
                        ' ', (await reader.GetColumnSchemaAsync()).Select(
                            column => $"{column.ColumnName}:{column.IsKey}:{column.IsUnique}:{column.BaseTableName}"));
                }

            case "fill":
                using (var adapter =
                    new GeneralAdapter { SelectCommand = command, MissingSchemaAction = MissingSchemaAction.AddWithKey })
                {
                    adapter.Fill(table);
                    return string.Join(' ', table.PrimaryKey.Select(column => column.ColumnName));
                }

            default:
                using (var adapter = new GeneralAdapter { SelectCommand = command })
                {
                    adapter.FillSchema(table, SchemaType.Source);
                    return string.Join(' ', table.PrimaryKey.Select(column => column.ColumnName));
                }
        }
    }

    private static string Text(DataTable schema) =>
        string.Join(
            ' ', schema.Rows.Cast<DataRow>()
                .Select(row => $"{row["ColumnName"]}:{row["IsKey"]}:{row["IsUnique"]}:{row["BaseTableName"]}"));

    private static DbCommand Command(DbConnection connection, string text)
    {
        var command = connection.CreateCommand();
        command.CommandText = text;
        return command;
    }

    private sealed class GeneralAdapter : DbDataAdapter;
}
