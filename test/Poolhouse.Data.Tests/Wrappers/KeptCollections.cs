using System.Data.Common;
using Npgsql;
using Poolhouse.Data.Tests.Fakes;
using Poolhouse.Data.Tests.Servers;

namespace Poolhouse.Data.Tests.Wrappers;

/// <summary>
/// Collections that the caller has kept from a disposed command or batch. Npgsql returns the disposed object again, with the same
/// collection.
/// </summary>
public sealed class KeptCollections(PostgresServer server)
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Parameters_of_a_disposed_command_do_not_affect_the_next_command(bool readsLate)
    {
        await using var source =
            PooledDataSource.Create(NpgsqlFactory.Instance, await server.GetConnectionStringAsync(), FakeDb.OneConnection());
        DbParameterCollection kept;
        await using (var connection = await source.OpenConnectionAsync())
        {
            var command = CreateCommand(connection, 1);
            kept = command.Parameters;
            await using var reader = await command.ExecuteReaderAsync();
            Assert.True(await reader.ReadAsync());
            if (!readsLate)
            {
                await reader.DisposeAsync();
            }

            await command.DisposeAsync();
        }

        await using var next = await source.OpenConnectionAsync();
        await using var other = CreateCommand(next, 2);
        kept.Clear();

        Assert.Equal(2, await other.ExecuteScalarAsync());
        Assert.Equal(1, source.GetStatistics().Created);
    }

    [Fact]
    public async Task Commands_of_a_disposed_batch_do_not_affect_the_next_batch()
    {
        await using var source =
            PooledDataSource.Create(NpgsqlFactory.Instance, await server.GetConnectionStringAsync(), FakeDb.OneConnection());
        DbBatchCommandCollection kept;
        await using (var connection = await source.OpenConnectionAsync())
        {
            var batch = CreateBatch(connection, "SELECT 1");
            kept = batch.BatchCommands;
            Assert.Equal(1, await batch.ExecuteScalarAsync());
            await batch.DisposeAsync();
        }

        await using var next = await source.OpenConnectionAsync();
        await using var other = CreateBatch(next, "SELECT 2");
        kept.Clear();

        Assert.Equal(2, await other.ExecuteScalarAsync());
        Assert.Equal(1, source.GetStatistics().Created);
    }

    [Fact]
    public async Task A_command_without_parameters_is_reused()
    {
        await using var source =
            PooledDataSource.Create(NpgsqlFactory.Instance, await server.GetConnectionStringAsync(), FakeDb.OneConnection());
        await using var connection = await source.OpenConnectionAsync();
        NpgsqlCommand inner;
        await using (var command = connection.CreateCommand())
        {
            inner = command.Unwrap<NpgsqlCommand>();
        }

        await using var next = connection.CreateCommand();
        Assert.Same(inner, next.Unwrap<NpgsqlCommand>());
    }

    [Fact]
    public async Task A_command_can_be_disposed_while_its_unwrapped_reader_is_open()
    {
        await using var source =
            PooledDataSource.Create(NpgsqlFactory.Instance, await server.GetConnectionStringAsync(), FakeDb.OneConnection());
        await using var connection = await source.OpenConnectionAsync();
        var command = CreateCommand(connection, 1);
        await using (var reader = await command.Unwrap<NpgsqlCommand>().ExecuteReaderAsync())
        {
            await command.DisposeAsync();
            Assert.True(await reader.ReadAsync());
        }

        await using var next = CreateCommand(connection, 2);
        Assert.Equal(2, await next.ExecuteScalarAsync());
    }

    private static DbCommand CreateCommand(DbConnection connection, int value)
    {
        var command = connection.CreateCommand();
        command.CommandText = "SELECT @value";
        var parameter = command.CreateParameter();
        (parameter.ParameterName, parameter.Value) = ("value", value);
        command.Parameters.Add(parameter);
        return command;
    }

    private static DbBatch CreateBatch(DbConnection connection, string statement)
    {
        var batch = connection.CreateBatch();
        var command = batch.CreateBatchCommand();
        command.CommandText = statement;
        batch.BatchCommands.Add(command);
        return batch;
    }
}
