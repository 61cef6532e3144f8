using System.Data.Common;
using System.Globalization;
using System.Text;

namespace Poolhouse.Samples.WebBench;

/// <summary>The queries on connections: <c>await using</c> the rent, whatever it is.</summary>
/// <param name="open">Opens or rents a connection.</param>
/// <param name="owned">What to dispose in the end, in this order.</param>
internal sealed class ConnectionStore(Func<CancellationToken, ValueTask<ConnectionUse>> open, params IAsyncDisposable[] owned)
    : IWorldStore
{
    public async Task<World> ReadAsync(CancellationToken cancellationToken)
    {
        await using var use = await open(cancellationToken);
        await using var command = QueryOf(use.Connection, out var id);
        return await ReadOneAsync(command, id, cancellationToken);
    }

    public async Task<World[]> ReadAsync(int count, CancellationToken cancellationToken)
    {
        await using var use = await open(cancellationToken);
        await using var command = QueryOf(use.Connection, out var id);
        return await ReadAsync(command, id, count, cancellationToken);
    }

    public async Task<List<Fortune>> ReadFortunesAsync(CancellationToken cancellationToken)
    {
        var fortunes = new List<Fortune>();
        await using var use = await open(cancellationToken);
        await using var command = use.Connection.CreateCommand();
        command.CommandText = "SELECT id, message FROM fortune";
        await using var reader = await command.ExecuteReaderAsync(cancellationToken);
        while (await reader.ReadAsync(cancellationToken))
        {
            fortunes.Add(new Fortune { Id = reader.GetInt32(0), Message = reader.GetString(1) });
        }

        return fortunes;
    }

    public async Task<World[]> UpdateAsync(int count, CancellationToken cancellationToken)
    {
        await using var use = await open(cancellationToken);
        await using var command = QueryOf(use.Connection, out var id);
        var worlds = await ReadAsync(command, id, count, cancellationToken);

        // One statement for all rows, as the rules of the benchmark allow; in the order of their numbers, or two requests could
        // wait for each other.
        var text = new StringBuilder("UPDATE world SET randomnumber = new.number FROM (VALUES ");
        foreach (var world in worlds.DistinctBy(world => world.Id).OrderBy(world => world.Id))
        {
            world.RandomNumber = World.AnyId();
            text.Append(CultureInfo.InvariantCulture, $"({world.Id}, {world.RandomNumber}), ");
        }

        text.Length -= ", ".Length;
        text.Append(") AS new (id, number) WHERE world.id = new.id");
        await using var update = use.Connection.CreateCommand();
#pragma warning disable CA2100 // The text consists of numbers.
        update.CommandText = text.ToString();
#pragma warning restore CA2100
        await update.ExecuteNonQueryAsync(cancellationToken);
        return worlds;
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var each in owned)
        {
            await each.DisposeAsync();
        }
    }

    private static DbCommand QueryOf(DbConnection connection, out DbParameter id)
    {
        var command = connection.CreateCommand();
        command.CommandText = "SELECT id, randomnumber FROM world WHERE id = @id";
        id = command.CreateParameter();
        id.ParameterName = "id";
        command.Parameters.Add(id);
        return command;
    }

    private static async Task<World[]> ReadAsync(
        DbCommand command, DbParameter id, int count, CancellationToken cancellationToken)
    {
        var worlds = new World[count];
        for (var i = 0; i < count; i++)
        {
            worlds[i] = await ReadOneAsync(command, id, cancellationToken);
        }

        return worlds;
    }

    private static async Task<World> ReadOneAsync(DbCommand command, DbParameter id, CancellationToken cancellationToken)
    {
        id.Value = World.AnyId();
        await using var reader = await command.ExecuteReaderAsync(cancellationToken);
        await reader.ReadAsync(cancellationToken);
        return new World { Id = reader.GetInt32(0), RandomNumber = reader.GetInt32(1) };
    }
}
