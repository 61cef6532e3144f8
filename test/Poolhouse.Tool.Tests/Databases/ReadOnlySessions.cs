using System.Data.Common;
using Microsoft.Data.Sqlite;
using Npgsql;
using Poolhouse.Tool.Bench;
using Poolhouse.Tool.Bench.Databases;
using Poolhouse.Tool.Servers;

namespace Poolhouse.Tool.Tests.Databases;

public sealed class ReadOnlySessions
{
    [Fact]
    public async Task A_PostgreSQL_session_stays_read_only_after_its_reset()
    {
        Assert.SkipUnless(TemporaryPostgres.TryFind(out var reason), reason);
        await using var server = await TemporaryPostgres.StartAsync(cancellationToken: TestContext.Current.CancellationToken);
        var settings = new NpgsqlConnectionStringBuilder(server.ConnectionString) { Options = "-c work_mem=4MB" };
        using var database = PostgresDatabase.Of(settings, isReadOnly: true);

        await AssertReadOnlyAsync(database);

        await using var source = database.OpenWithoutPool("test");
        await using var command = source.CreateCommand("SHOW work_mem");
        Assert.Equal("4MB", await command.ExecuteScalarAsync(TestContext.Current.CancellationToken));
    }

    [Fact]
    public async Task An_SQLite_file_stays_read_only_after_the_reset()
    {
        using var file = new TemporarySqlite();
        using var database = SqliteDatabase.Of(new SqliteConnectionStringBuilder(file.ConnectionString), isReadOnly: true);

        await AssertReadOnlyAsync(database);
    }

    [Fact]
    public async Task The_number_of_available_server_connections_is_read()
    {
        Assert.SkipUnless(TemporaryPostgres.TryFind(out var reason), reason);
        await using var server = await TemporaryPostgres.StartAsync(
            new TemporaryPostgresOptions { MaxConnections = 20 }, TestContext.Current.CancellationToken);
        using var database = PostgresDatabase.Of(new NpgsqlConnectionStringBuilder(server.ConnectionString));

        // Three are reserved for superusers, and one is used by the query.
        Assert.Equal(20 - 3 - 1, database.CountRoom());

        await using var source = database.OpenWithoutPool("test");
        await using var connection = await source.OpenConnectionAsync(TestContext.Current.CancellationToken);
        Assert.Equal(20 - 3 - 2, database.CountRoom());
        Assert.Equal(1, database.CountConnections("test"));
    }

    [Fact]
    public async Task The_limits_of_the_role_and_the_database_and_the_sessions_of_other_roles_count()
    {
        Assert.SkipUnless(TemporaryPostgres.TryFind(out var reason), reason);
        var token = TestContext.Current.CancellationToken;
        await using var server = await TemporaryPostgres.StartAsync(
            new TemporaryPostgresOptions { MaxConnections = 20 }, token);
        await using var admin = NpgsqlDataSource.Create(server.ConnectionString);
        await using var other = await admin.OpenConnectionAsync(token);
        await ExecuteAsync("CREATE ROLE guest LOGIN PASSWORD 'secret'");
        var settings = new NpgsqlConnectionStringBuilder(server.ConnectionString) { Username = "guest", Password = "secret" };
        using var database = PostgresDatabase.Of(settings);

        Assert.Equal(20 - 3 - 2, database.CountRoom());
        await ExecuteAsync("ALTER ROLE guest CONNECTION LIMIT 8");
        Assert.Equal(8 - 1, database.CountRoom());
        await ExecuteAsync($"ALTER DATABASE {settings.Database} CONNECTION LIMIT 5");
        Assert.Equal(5 - 2, database.CountRoom());

        async Task ExecuteAsync(string sql)
        {
            await using var command = new NpgsqlCommand(sql, other);
            await command.ExecuteNonQueryAsync(token);
        }
    }

    private static async Task AssertReadOnlyAsync(Database database)
    {
        foreach (var rival in new[] { RivalNames.NoPool, RivalNames.ProviderPool, RivalNames.Poolhouse })
        {
            await using var source = database.Open(rival, new SourceSettings(1, "test"));
            for (var i = 0; i < 3; i++)
            {
                await using var connection = await source.OpenConnectionAsync(TestContext.Current.CancellationToken);
                Statement.Run(connection, database.SmallQuery);
                var refusal = Assert.ThrowsAny<DbException>(() => Statement.Run(connection, "CREATE TABLE mine (i INT)"));
                Assert.True(DatabaseErrors.IsWriteRefused(refusal), refusal.Message);
            }
        }
    }
}
