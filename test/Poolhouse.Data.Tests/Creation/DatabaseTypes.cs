using System.Data.Common;
using Npgsql;
using Poolhouse.Data.Tests.Servers;

namespace Poolhouse.Data.Tests.Creation;

/// <summary>Types that are created after connections were opened are known after <c>Clear</c>, to every connection.</summary>
public sealed class DatabaseTypes(PostgresServer server)
{
    public static TheoryData<string> Sources =>
        ["data source", "pool of one", "connection string", "several hosts", "hosts of Npgsql", "credentials"];

    [Theory]
    [MemberData(nameof(Sources))]
    public async Task Clear_makes_new_types_available_to_every_connection(string kind)
    {
        var connectionString = await server.CreateDatabaseAsync();
        await using var provider = CreateProvider(kind, connectionString + ";Pooling=false");
        await using var source = Create(kind, provider, connectionString);
        var before = new List<DbConnection>();
        for (var i = 0; i < 3; i++)
        {
            before.Add(await source.OpenConnectionAsync(Token));
        }

        await using (var create = before[0].CreateCommand())
        {
            create.CommandText = "CREATE TYPE mood AS ENUM ('calm', 'cross')";
            await create.ExecuteNonQueryAsync(Token);
        }

        await Assert.ThrowsAnyAsync<Exception>(() => QueryAsync(before[1]));
        foreach (var connection in before)
        {
            await connection.DisposeAsync();
        }

        source.Clear();
        var after = new List<DbConnection>();
        for (var i = 0; i < 3; i++)
        {
            after.Add(await source.OpenConnectionAsync(Token));
            Assert.Equal("cross", await QueryAsync(after[i]));
        }

        foreach (var connection in after)
        {
            await connection.DisposeAsync();
        }
    }

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    // Npgsql keeps the types of each host separately. Here, both are the same server, and connections alternate between them.
    private static NpgsqlDataSource CreateProvider(string kind, string connectionString)
    {
        if (kind is not "hosts of Npgsql")
        {
            return NpgsqlDataSource.Create(connectionString);
        }

        return new NpgsqlDataSourceBuilder(TwoHosts(connectionString)).BuildMultiHost();
    }

    private static string TwoHosts(string connectionString)
    {
        var hosts = new NpgsqlConnectionStringBuilder(connectionString) { LoadBalanceHosts = true };
        hosts.Host = $"{hosts.Host}:{hosts.Port},{hosts.Host}:{hosts.Port}";
        return hosts.ConnectionString;
    }

    private static PooledDataSource Create(string kind, NpgsqlDataSource provider, string connectionString)
    {
        var options = new DbPoolOptions { Pool = new ResourcePoolOptions { MaxSize = 3 } };
        switch (kind)
        {
            case "data source" or "hosts of Npgsql":
                return PooledDataSource.Create(provider, options);
            case "several hosts":
                return PooledDataSource.Create([provider], servers: null, options);
            case "credentials":
                var given = new NpgsqlConnectionStringBuilder(connectionString);
                options.Credentials = _ => new ValueTask<DbCredential>(new DbCredential(given.Username, given.Password));
                return PooledDataSource.Create(NpgsqlFactory.Instance, TwoHosts(connectionString), options);
            case "connection string":
                options.Reset = SessionReset.PostgreSql;
                break;
        }

        return PooledDataSource.Create(NpgsqlFactory.Instance, connectionString, options);
    }

    private static async Task<object?> QueryAsync(DbConnection connection)
    {
        await using var command = connection.CreateCommand();
        command.CommandText = "SELECT @mood::text";
        command.Parameters.Add(new NpgsqlParameter { ParameterName = "mood", DataTypeName = "mood", Value = "cross" });
        return await command.ExecuteScalarAsync(Token);
    }
}
