using System.Data.Common;
using Dapper;
using Microsoft.Data.Sqlite;

namespace Poolhouse.Data.Tests.Resets;

/// <summary>
/// A SQLite database that lives in its connection belongs to one lease: its tables do not reach the next user (I21).
/// </summary>
public sealed class MemoryDatabases
{
    public static TheoryData<string> Strings =>
    [
        "Data Source=:memory:", "DataSource=:memory:", "Data Source=", "Filename=", "Data Source=some;Mode=Memory",
        "Mode=memory;Data Source=other;Cache=Private",
        "Data Source=file::memory:", "Data Source=file:named?mode=memory", "Foreign Keys=True",
    ];

    [Theory]
    [MemberData(nameof(Strings))]
    public async Task Tables_do_not_reach_the_next_user(string connectionString)
    {
        await using var source = PooledDataSource.Create(SqliteFactory.Instance, connectionString, Options());
        for (var i = 0; i < 3; i++)
        {
            await using var connection = await source.OpenConnectionAsync();
            Assert.Equal(0, await connection.ExecuteScalarAsync<int>("SELECT count(*) FROM sqlite_master"));
            await connection.ExecuteAsync("CREATE TABLE secrets (a)");
            await connection.ExecuteAsync("INSERT INTO secrets VALUES (1)");
        }

        Assert.Equal(3, source.GetStatistics().Created);
    }

    [Fact]
    public async Task Tables_of_leased_connections_and_custom_sources_do_not_reach_the_next_user()
    {
        await using var inner = SqliteFactory.Instance.CreateDataSource("Data Source=:memory:;Pooling=false");
        await using var source = PooledDataSource.Create(inner, Options());
        await using var pool = DbConnectionPool.Create<SqliteConnection>(
            () => new SqliteConnection("Data Source=:memory:;Pooling=false"), Options());
        for (var i = 0; i < 3; i++)
        {
            await using var connection = await source.OpenConnectionAsync();
            await connection.ExecuteAsync("CREATE TABLE secrets (a)");
            await using var lease = await pool.RentAsync();
            await lease.Value.ExecuteAsync("CREATE TABLE secrets (a)");
        }
    }

    [Fact]
    public async Task A_connection_that_is_not_pooled_on_purpose_has_not_failed()
    {
        await using var source = PooledDataSource.Create(SqliteFactory.Instance, "Data Source=:memory:", Options());
        await using var pool = DbConnectionPool.Create<SqliteConnection>(
            () => new SqliteConnection("Data Source=:memory:;Pooling=false"), Options());
        for (var i = 0; i < 2; i++)
        {
            await using var connection = await source.OpenConnectionAsync();
            await using var lease = await pool.RentAsync();
        }

        // The next user gets its connection only after the one before is gone.
        await using var last = await source.OpenConnectionAsync();
        using var lastLease = await pool.RentAsync();
        Assert.All([source.GetStatistics(), pool.GetStatistics()], statistics =>
        {
            Assert.Equal(2, statistics.DestroyedFor(DestroyReason.Expired));
            Assert.Equal(statistics.Destroyed, statistics.DestroyedFor(DestroyReason.Expired));
        });
    }

    [Fact]
    public async Task Changed_rows_do_not_reach_the_next_user()
    {
        await using var source = PooledDataSource.Create(SqliteFactory.Instance, "Data Source=:memory:", Options());
        await using (var connection = await source.OpenConnectionAsync())
        {
            await connection.ExecuteAsync("SELECT 1");
        }

        await using var next = await source.OpenConnectionAsync();
        Assert.Equal(1, await next.ExecuteScalarAsync<int>("SELECT 1"));
        Assert.Equal(2, source.GetStatistics().Created);
    }

    [Theory]
    [InlineData("Data Source={0}")]
    [InlineData("Data Source={0};Mode=ReadWriteCreate;Cache=Shared")]
    public async Task A_database_in_a_file_is_pooled(string format)
    {
        using var file = new Servers.SqliteFile();
        var path = new DbConnectionStringBuilder { ConnectionString = file.ConnectionString }["Data Source"];
        await using var source = PooledDataSource.Create(
            SqliteFactory.Instance, string.Format(System.Globalization.CultureInfo.InvariantCulture, format, path), Options());
        for (var i = 0; i < 3; i++)
        {
            await using var connection = await source.OpenConnectionAsync();
            await connection.ExecuteAsync("CREATE TABLE IF NOT EXISTS kept (a)");
        }

        Assert.Equal(1, source.GetStatistics().Created);
    }

    [Fact]
    public async Task An_explicitly_chosen_reset_keeps_the_database()
    {
        var options = Options();
        options.Reset = SessionReset.Sqlite;
        await using var source = PooledDataSource.Create(SqliteFactory.Instance, "Data Source=:memory:", options);
        await using (var connection = await source.OpenConnectionAsync())
        {
            await connection.ExecuteAsync("CREATE TABLE kept (a)");
        }

        await using var next = await source.OpenConnectionAsync();
        Assert.Equal(0, await next.ExecuteScalarAsync<int>("SELECT count(*) FROM kept"));
    }

    private static DbPoolOptions Options() => new() { Pool = new ResourcePoolOptions { MaxSize = 1 } };
}
