using System.Data.Common;
using Dapper;
using MySqlConnector;
using Npgsql;
using Poolhouse.Data.Tests.Faults;
using Poolhouse.Data.Tests.Servers;

namespace Poolhouse.Data.Tests.Regressions;

/// <summary>npgsql#2288: a statement that the server ends at its own time limit costs a session.</summary>
public sealed class ServerTimeLimits(PostgresServer postgres, MariaDbServer mariaDb)
{
    [Theory]
    [InlineData("statement_timeout", "57014", "SELECT pg_sleep(10)")]
    [InlineData("lock_timeout", "55P03", "SELECT pg_advisory_lock(4711)")]
    public async Task Npgsql_2288_a_time_limit_of_PostgreSQL_keeps_the_session(string setting, string state, string statement)
    {
        var connectionString = await postgres.CreateDatabaseAsync();
        await using var holder = NpgsqlDataSource.Create(connectionString + ";Pooling=false");
        await using var held = await holder.OpenConnectionAsync();
        await held.ExecuteAsync("SELECT pg_advisory_lock(4711)");
        await using var source = PooledDataSource.Create(NpgsqlFactory.Instance, connectionString);
        for (var i = 0; i < 8; i++)
        {
            await using var connection = await source.OpenConnectionAsync();

            // Not in the connection string: opening and resetting a session may take longer on a busy machine.
            var failure = await Assert.ThrowsAsync<PostgresException>(
                () => connection.ExecuteAsync($"SET {setting} = 20; {statement}"));
            Assert.Equal(state, failure.SqlState);
        }

        Assert.Equal(1, source.GetStatistics().Created);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_cancelled_statement_costs_its_session_because_the_request_may_be_late(bool wrapped)
    {
        var connectionString = await postgres.CreateDatabaseAsync();
        await using var source = PooledDataSource.Create(NpgsqlFactory.Instance, connectionString);
        await using var pool = new DbConnectionPool<NpgsqlConnection>(NpgsqlFactory.Instance, connectionString);
        if (wrapped)
        {
            await using var connection = await source.OpenConnectionAsync();
            await CancelAsync(connection, connectionString);
        }
        else
        {
            await using var lease = await pool.RentAsync();
            var failure = await CancelAsync(lease.Value, connectionString);
            Assert.Equal(DbErrorSeverity.Connection, pool.ObserveFailure(lease, failure));
        }

        await Patience.UntilAsync(
            () => ValueTask.FromResult(wrapped ? source.GetStatistics() : pool.GetStatistics()),
            now => now.DestroyedFor(DestroyReason.Tainted) == 1, "the session is destroyed");
    }

    [Fact]
    public async Task Npgsql_2288_the_session_of_a_lease_is_kept_too()
    {
        await using var pool = new DbConnectionPool<NpgsqlConnection>(
            NpgsqlFactory.Instance, await postgres.CreateDatabaseAsync());
        for (var i = 0; i < 3; i++)
        {
            await using var lease = await pool.RentAsync();
            var failure = await Assert.ThrowsAsync<PostgresException>(
                () => lease.Value.ExecuteAsync("SET statement_timeout = 20; SELECT pg_sleep(10)"));
            Assert.Equal(DbErrorSeverity.Statement, pool.ObserveFailure(lease, failure));
        }

        Assert.Equal(1, pool.GetStatistics().Created);
    }

    [Fact]
    public async Task Npgsql_2288_a_time_limit_of_MariaDB_keeps_the_session()
    {
        await using var source = PooledDataSource.Create(
            MySqlConnectorFactory.Instance,
            (await mariaDb.CreateDatabaseAsync()).Replace("Pooling=false;", "", StringComparison.Ordinal));
        for (var i = 0; i < 8; i++)
        {
            await using var connection = await source.OpenConnectionAsync();
            var failure = await Assert.ThrowsAsync<MySqlException>(
                () => connection.ExecuteAsync("SET STATEMENT max_statement_time = 0.02 FOR SELECT SLEEP(10) FROM seq_1_to_9"));
            Assert.Equal(1969, failure.Number);
        }

        Assert.Equal(1, source.GetStatistics().Created);
    }

    private static async Task<Exception> CancelAsync(DbConnection connection, string connectionString)
    {
        await using var command = connection.CreateCommand();
        command.CommandText = "SELECT pg_sleep(20)";
        var running = command.ExecuteNonQueryAsync();
        await using var observer = new NpgsqlConnection(connectionString + ";Pooling=false");
        await Patience.UntilAsync(
            async () => await observer.ExecuteScalarAsync<long>(
                "SELECT count(*) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(20)' AND datname = current_database()"),
            count => count == 1, "the statement is running");
        command.Cancel();
        return await Assert.ThrowsAnyAsync<Exception>(() => running);
    }
}
