using System.Data.Common;
using Dapper;
using Npgsql;
using Poolhouse.Data.Tests.Faults;
using Poolhouse.Data.Tests.Servers;

namespace Poolhouse.Data.Tests.Regressions;

/// <summary>Reports about the sessions of PostgreSQL that pools lost or reused too late.</summary>
public sealed class SessionsOfPostgres(PostgresServer server)
{
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Npgsql_3835_a_later_result_that_fails_while_the_connection_is_closed_loses_no_capacity(bool async)
    {
        await using var source = await CreateAsync();
        for (var i = 0; i < 4; i++)
        {
            var connection = await source.OpenConnectionAsync();
            await using var command = connection.CreateCommand();
            command.CommandText = "SELECT 1; SELECT 1 / (SELECT 0)";
            var reader = await command.ExecuteReaderAsync();
            Assert.True(await reader.ReadAsync());
            await (async ? connection.CloseAsync() : Task.Run(connection.Close));
        }

        await using var next = await source.OpenConnectionAsync();
        Assert.Equal(1, await next.ExecuteScalarAsync<int>("SELECT 1"));
        Assert.Equal(1, source.GetStatistics().Leased);
    }

    [Theory]
    [InlineData(true, true)]
    [InlineData(true, false)]
    [InlineData(false, true)]
    [InlineData(false, false)]
    public async Task Npgsql_3446_an_end_that_exceeds_the_time_limit_loses_neither_capacity_nor_the_session(
        bool async, bool disposesReader)
    {
        var connectionString = await server.CreateDatabaseAsync();
        await using var source = Create(connectionString + ";Command Timeout=1");
        for (var i = 0; i < 2; i++)
        {
            var connection = await source.OpenConnectionAsync();
            await using var command = connection.CreateCommand();
            command.CommandText = "SELECT 1; SELECT pg_sleep(600)";

            try
            {
                var reader = async ? await command.ExecuteReaderAsync() : command.ExecuteReader();
                Assert.True(async ? await reader.ReadAsync() : reader.Read());
                if (disposesReader)
                {
                    await (async ? reader.DisposeAsync().AsTask() : Task.Run(reader.Dispose));
                }
            }
            catch (NpgsqlException exceeded) when (exceeded.InnerException is TimeoutException)
            {
                // Npgsql 10 does not throw it at the end, but on a busy machine even the first result can exceed the limit.
            }

            await (async ? connection.CloseAsync() : Task.Run(connection.Close));
            Assert.Equal(0, source.GetStatistics().Leased);
        }

        await using (var next = await source.OpenConnectionAsync())
        {
            Assert.Equal(1, await next.ExecuteScalarAsync<int>("SELECT 1", commandTimeout: 30));
        }

        await using var observer = new NpgsqlConnection(connectionString + ";Pooling=false");
        await Patience.UntilAsync(
            async () => await observer.QueryAsync<string>(
                "SELECT state || ' ' || query FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"),
            sessions => sessions.All(session => session.StartsWith("idle ", StringComparison.Ordinal)) && sessions.Count() <= 1,
            "no statement runs, and one session is left");
    }

    [Fact]
    public async Task Sqlx_4412_a_prepared_statement_whose_result_has_changed_fails_at_most_once()
    {
        await using var source = await CreateAsync(";Max Auto Prepare=10;Auto Prepare Min Usages=1");
        await ExecuteAsync(source, "CREATE TABLE cups (a int)");
        await ExecuteAsync(source, "SELECT * FROM cups");
        await ExecuteAsync(source, "SELECT * FROM cups");
        await ExecuteAsync(source, "ALTER TABLE cups ADD COLUMN b int");

        var failures = 0;
        for (var i = 0; i < 3; i++)
        {
            try
            {
                await ExecuteAsync(source, "SELECT * FROM cups");
            }
            catch (DbException)
            {
                failures++;
            }
        }

        Assert.InRange(failures, 0, 1);
    }

    private static async Task ExecuteAsync(PooledDataSource source, string statement)
    {
        await using var connection = await source.OpenConnectionAsync();
        await connection.ExecuteAsync(statement);
    }

    private async Task<PooledDataSource> CreateAsync(string settings = "") =>
        Create(await server.CreateDatabaseAsync() + settings);

    private static PooledDataSource Create(string connectionString)
    {
        var options = new DbPoolOptions();
        options.Pool.MaxSize = 1;
        return PooledDataSource.Create(NpgsqlFactory.Instance, connectionString, options);
    }
}
