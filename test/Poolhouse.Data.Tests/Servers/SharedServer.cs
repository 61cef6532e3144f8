using Npgsql;

namespace Poolhouse.Data.Tests.Servers;

public sealed class SharedServer(PostgresServer server)
{
    [Fact]
    public async Task All_tests_get_the_same_server() =>
        Assert.Equal(await server.GetConnectionStringAsync(), await server.GetConnectionStringAsync());

    [Fact]
    public async Task Each_new_database_is_empty_and_separate()
    {
        var (first, second) = (await server.CreateDatabaseAsync(), await server.CreateDatabaseAsync());

        Assert.NotEqual(first, second);
        await using var source = NpgsqlDataSource.Create(second + ";Pooling=false");
        await using var command = source.CreateCommand("SELECT count(*) FROM pg_stat_user_tables");
        Assert.Equal(0L, await command.ExecuteScalarAsync());
    }
}
