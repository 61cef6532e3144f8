using System.Data;
using System.Data.Common;
using Dapper;
using MySqlConnector;
using Npgsql;
using Poolhouse.Data.Tests.Fakes;
using Poolhouse.Data.Tests.Servers;

namespace Poolhouse.Data.Tests.Regressions;

/// <summary>
/// npgsql#5997, npgsql#2517, hindsight PR#2815: what was set on a new connection, such as a tenant, is gone after the first
/// lease.
/// </summary>
public sealed class Initializers(PostgresServer postgres, MariaDbServer mariaDb)
{
    private const string Tenant = "SELECT current_setting('app.tenant') || ' ' || current_setting('search_path')";
    private int _calls;

    [Theory]
    [InlineData("provider", true)]
    [InlineData("provider", false)]
    [InlineData("postgresql", true)]
    [InlineData("keep prepared", true)]
    public async Task Npgsql_5997_settings_of_the_initializer_survive_every_reset(string reset, bool async)
    {
        var options = Initialize("SET app.tenant = 'ours'; SET search_path = shop");
        options.Reset = reset switch
        {
            "provider" => null,
            "postgresql" => SessionReset.PostgreSql,
            _ => SessionReset.PostgreSqlKeepPrepared,
        };
        await using var source = PooledDataSource.Create(NpgsqlFactory.Instance, await postgres.CreateDatabaseAsync(), options);
        for (var i = 0; i < 4; i++)
        {
            await using var connection = async ? await source.OpenConnectionAsync() : source.OpenConnection();
            Assert.Equal("ours shop", await connection.ExecuteScalarAsync<string>(Tenant));
            if (i == 1)
            {
                await connection.ExecuteAsync("SET app.tenant = 'theirs'; SET search_path = public");
            }
            else if (i == 2)
            {
                await connection.Unwrap<NpgsqlConnection>().ExecuteAsync("SET app.tenant = 'theirs'");
            }
        }

        // Without the provider's reset, the object that a user has unwrapped is destroyed.
        Assert.Equal(reset is "provider" ? 1 : 2, source.GetStatistics().Created);
    }

    [Fact]
    public async Task Npgsql_2517_they_survive_in_leases_of_the_providers_own_connections()
    {
        await using var pool = new DbConnectionPool<NpgsqlConnection>(
            NpgsqlFactory.Instance, await postgres.CreateDatabaseAsync(),
            Initialize("SET app.tenant = 'ours'; SET search_path = shop"));
        for (var i = 0; i < 3; i++)
        {
            await using var lease = await pool.RentAsync();
            Assert.Equal("ours shop", await lease.Value.ExecuteScalarAsync<string>(Tenant));
            await lease.Value.ExecuteAsync("SET app.tenant = 'theirs'");
        }

        Assert.Equal(1, pool.GetStatistics().Created);
    }

    [Fact]
    public async Task They_survive_the_providers_reset_on_MariaDB()
    {
        var options = Initialize("SET @tenant = 'ours'");
        options.Reset = SessionReset.Provider;
        await using var source = PooledDataSource.Create(
            MySqlConnectorFactory.Instance,
            (await mariaDb.CreateDatabaseAsync()).Replace("Pooling=false;", "", StringComparison.Ordinal) +
            ";Allow User Variables=true",
            options);
        for (var i = 0; i < 3; i++)
        {
            await using var connection = await source.OpenConnectionAsync();
            Assert.Equal("ours", await connection.ExecuteScalarAsync<string>("SELECT @tenant"));
            await connection.ExecuteAsync("SET @tenant = 'theirs'");
        }

        Assert.Equal(1, source.GetStatistics().Created);
    }

    [Fact]
    public async Task Where_the_database_forgets_nothing_it_runs_once_for_each_connection()
    {
        using var file = new SqliteFile();
        await using var source = PooledDataSource.Create(
            Microsoft.Data.Sqlite.SqliteFactory.Instance, $"Data Source={file.Path}",
            Initialize("PRAGMA busy_timeout = 1234; CREATE TEMP TABLE tenant (name TEXT)"));
        for (var i = 0; i < 3; i++)
        {
            await using var connection = await source.OpenConnectionAsync();
            Assert.Equal(1234, await connection.ExecuteScalarAsync<int>("PRAGMA busy_timeout"));
            await connection.ExecuteAsync("PRAGMA busy_timeout = 1");
        }

        Assert.Equal((1, 1), (_calls, source.GetStatistics().Created));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Hindsight_2815_a_connection_that_was_not_initialized_is_not_handed_out(bool async)
    {
        var db = new FakeDb();
        var options = FakeDb.OneConnection();
        options.Initialize = (_, _) => throw new InvalidOperationException("no tenant");
        await using var source = PooledDataSource.Create(db, options);

        var failure = async
            ? await Assert.ThrowsAsync<InvalidOperationException>(async () => await source.OpenConnectionAsync())
            : Assert.Throws<InvalidOperationException>(() => source.OpenConnection());

        Assert.Equal("no tenant", failure.Message);
        Assert.Equal(0, source.GetStatistics().Live);
        Assert.All(db.Connections, connection => Assert.Equal(ConnectionState.Closed, connection.State));
    }

    [Fact]
    public async Task A_connection_that_cannot_be_initialized_again_is_destroyed()
    {
        var db = new FakeDb();
        var options = FakeDb.OneConnection(new ForgettingReset());
        options.Initialize = (_, _) => ++_calls == 2 ? throw new InvalidOperationException("no tenant") : default;
        await using var source = PooledDataSource.Create(db, options);
        await using (var connection = await source.OpenConnectionAsync())
        {
            connection.CreateCommand().ExecuteNonQuery();
        }

        await using var next = await source.OpenConnectionAsync();

        Assert.Equal(3, _calls);
        Assert.Equal(1, source.GetStatistics().DestroyedFor(DestroyReason.ResetFailed));
    }

    private DbPoolOptions Initialize(string statements)
    {
        var options = new DbPoolOptions
        {
            Initialize = async (connection, token) =>
            {
                Interlocked.Increment(ref _calls);
                await using var command = connection.CreateCommand();
                command.CommandText = statements;
                await command.ExecuteNonQueryAsync(token);
            },
        };
        options.Pool.MaxSize = 1;
        return options;
    }

    private sealed class ForgettingReset : SessionReset
    {
        public override ValueTask<bool> ResetAsync(
            DbConnection connection, object? captured, CancellationToken cancellationToken) => new(result: true);
    }
}
