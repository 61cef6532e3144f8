using System.Data.Common;
using Microsoft.Data.Sqlite;
using Poolhouse.Data.Tests.Faults;
using Poolhouse.Data.Tests.Servers;

namespace Poolhouse.Data.Tests.Regressions;

/// <summary>SQLite connections whose file is deleted, replaced or damaged while they are pooled.</summary>
public sealed class SqliteFiles
{
    [Fact]
    public async Task Dotnet_docs_55017_after_its_file_was_replaced_a_connection_fails_once()
    {
        using var file = new SqliteFile();
        await using var source = Create(file);
        await CreateTableAsync(source);
        File.Delete(file.Path);
        await using (var restored = new SqliteConnection(file.ConnectionString))
        {
            await restored.OpenAsync();
            await using var create = restored.CreateCommand();
            create.CommandText = "CREATE TABLE cups (name TEXT)";
            await create.ExecuteNonQueryAsync();
        }

        var failure = await Assert.ThrowsAsync<SqliteException>(() => ExecuteAsync(source, "INSERT INTO cups VALUES ('old')"));
        await ExecuteAsync(source, "INSERT INTO cups VALUES ('new')");

        Assert.Equal(1032, failure.SqliteExtendedErrorCode);
        Assert.Equal(2, source.GetStatistics().Created);
    }

    [Fact]
    public async Task Sqlite_net_399_a_file_that_is_no_database_costs_the_connection()
    {
        using var file = new SqliteFile();
        await using var source = Create(file);
        await CreateTableAsync(source);
        await File.WriteAllTextAsync(file.Path, new string('x', 8192));

        var failure = await Assert.ThrowsAsync<SqliteException>(() => ExecuteAsync(source, "INSERT INTO cups VALUES ('x')"));

        Assert.Contains(failure.SqliteErrorCode, (int[])[11, 26]);
        await Patience.UntilAsync(
            () => ValueTask.FromResult(source.GetStatistics()), now => now.DestroyedFor(DestroyReason.Tainted) == 1,
            "the connection is destroyed");
    }

    [Theory]
    [InlineData(8, 1032, DbErrorSeverity.Connection)]
    [InlineData(8, 8, DbErrorSeverity.Statement)]
    [InlineData(10, 10, DbErrorSeverity.Connection)]
    [InlineData(10, 266, DbErrorSeverity.Connection)]
    [InlineData(11, 11, DbErrorSeverity.Connection)]
    [InlineData(11, 779, DbErrorSeverity.Connection)]
    [InlineData(26, 26, DbErrorSeverity.Connection)]
    [InlineData(19, 2067, DbErrorSeverity.Statement)]
    [InlineData(5, 261, DbErrorSeverity.Statement)]
    public void Codes_about_the_file_concern_the_connection(int code, int extended, DbErrorSeverity severity) =>
        Assert.Equal(severity, DbErrorClassifier.Default.Classify(new SqliteException("x", code, extended)));

    [Fact]
    public async Task A_blob_that_was_left_open_does_not_reach_the_next_user()
    {
        using var file = new SqliteFile();
        await using var pool = new DbConnectionPool<SqliteConnection>(SqliteFactory.Instance, Pooled(file));
        SqliteBlob left;
        await using (var lease = await pool.RentAsync())
        {
            await using var create = lease.Value.CreateCommand();
            create.CommandText =
                "PRAGMA journal_mode = WAL; CREATE TABLE cups (picture BLOB); INSERT INTO cups VALUES (zeroblob(100))";
            await create.ExecuteNonQueryAsync();
            left = new SqliteBlob(lease.Value, "cups", "picture", 1, readOnly: true);
            Assert.Equal(0, left.ReadByte());
        }

        await using (var next = await pool.RentAsync())
        {
            await using var write = next.Value.CreateCommand();
            write.CommandText = "UPDATE cups SET picture = zeroblob(10)";
            Assert.Equal(1, await write.ExecuteNonQueryAsync());
        }

        await left.DisposeAsync();
        Assert.Equal(2, pool.GetStatistics().Created);
    }

    private static string Pooled(SqliteFile file) => $"Data Source={file.Path}";

    private static PooledDataSource Create(SqliteFile file)
    {
        var options = new DbPoolOptions();
        options.Pool.MaxSize = 1;
        return PooledDataSource.Create(SqliteFactory.Instance, Pooled(file), options);
    }

    /// <summary>Returns when the pool uses the file no more: the reset works in the background.</summary>
    private static async Task CreateTableAsync(PooledDataSource source)
    {
        await ExecuteAsync(source, "CREATE TABLE cups (name TEXT)");
        await Patience.UntilAsync(
            () => ValueTask.FromResult(source.GetStatistics()), now => now.Idle == 1, "the connection is idle");
    }

    private static async Task ExecuteAsync(PooledDataSource source, string statement)
    {
        await using var connection = await source.OpenConnectionAsync();
        await using var command = connection.CreateCommand();
        command.CommandText = statement;
        await command.ExecuteNonQueryAsync();
    }
}
