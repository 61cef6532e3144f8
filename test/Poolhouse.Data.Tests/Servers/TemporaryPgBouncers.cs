using Npgsql;
using Poolhouse.Tool.Servers;

namespace Poolhouse.Data.Tests.Servers;

public sealed class TemporaryPgBouncers
{
    [Theory]
    [InlineData("s3cret")]
    [InlineData("s3cret; 'word' \"quoted\"")]
    public async Task Two_clients_share_one_server_process_between_transactions(string password)
    {
        await using var server = await PostgresServer.StartOwnAsync(new TemporaryPostgresOptions { Password = password });
        await using var bouncer = await PostgresServer.StartBouncerAsync(server, poolSize: 1);
        await using var first = await OpenAsync(bouncer);
        await using var second = await OpenAsync(bouncer);

        Assert.Equal(await BackendOfAsync(first), await BackendOfAsync(second));
    }

    private static async Task<NpgsqlConnection> OpenAsync(TemporaryPgBouncer bouncer)
    {
        var connection = new NpgsqlConnection(bouncer.ConnectionString + ";Pooling=false;No Reset On Close=true");
        await connection.OpenAsync();
        return connection;
    }

    private static async Task<object?> BackendOfAsync(NpgsqlConnection connection)
    {
        await using var command = new NpgsqlCommand("SELECT pg_backend_pid()", connection);
        return await command.ExecuteScalarAsync();
    }
}
