using System.Transactions;
using Dapper;
using Npgsql;
using Poolhouse.Data.Tests.Servers;

namespace Poolhouse.Data.Tests.Wrappers;

/// <summary>Scopes of System.Transactions on a real server.</summary>
public sealed class PostgresScopes(PostgresServer server)
{
    [Theory]
    [InlineData(false, true)]
    [InlineData(false, false)]
    [InlineData(true, true)]
    [InlineData(true, false)]
    public async Task What_two_openings_do_in_one_scope_is_one_transaction(bool async, bool completes)
    {
        await using var inner = NpgsqlDataSource.Create(await server.CreateDatabaseAsync() + ";Pooling=false;Enlist=false");
        await using var source = PooledDataSource.Create(inner);
        await using (var setup = await source.OpenConnectionAsync())
        {
            await setup.ExecuteAsync("CREATE TABLE scoped (a int)");
        }

        using (var scope = new TransactionScope(TransactionScopeAsyncFlowOption.Enabled))
        {
            var pids = new List<int>();
            for (var i = 0; i < 2; i++)
            {
                await using var connection = async ? await source.OpenConnectionAsync() : source.OpenConnection();
                await connection.ExecuteAsync("INSERT INTO scoped VALUES (1)");
                pids.Add(await connection.ExecuteScalarAsync<int>("SELECT pg_backend_pid()"));
            }

            Assert.Single(pids.Distinct());
            Assert.Equal(1, source.GetStatistics().Leased);
            if (completes)
            {
                scope.Complete();
            }
        }

        Assert.Equal(0, source.GetStatistics().Leased);
        await using var after = await source.OpenConnectionAsync();
        Assert.Equal(completes ? 2 : 0, await after.ExecuteScalarAsync<int>("SELECT count(*) FROM scoped"));
    }

    [Fact]
    public async Task Outside_of_the_scope_the_connection_is_an_ordinary_one_again()
    {
        await using var inner = NpgsqlDataSource.Create(await server.GetConnectionStringAsync() + ";Pooling=false;Enlist=false");
        var options = new DbPoolOptions();
        options.Pool.MaxSize = 1;
        await using var source = PooledDataSource.Create(inner, options);
        for (var i = 0; i < 3; i++)
        {
            using var scope = new TransactionScope(TransactionScopeAsyncFlowOption.Enabled);
            await using var connection = await source.OpenConnectionAsync();
            Assert.Equal(1, await connection.ExecuteScalarAsync<int>("SELECT 1"));
            await connection.CloseAsync();
        }

        Assert.Equal(1, source.GetStatistics().Created);
    }
}
