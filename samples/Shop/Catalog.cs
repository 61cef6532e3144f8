using System.Data.Common;

namespace Poolhouse.Samples.Shop;

/// <summary>The cups, read with plain SQL from whatever database there is.</summary>
internal sealed class Catalog([FromKeyedServices("shop")] DbDataSource database)
{
    private const int Attempts = 3;

    public async Task PrepareAsync()
    {
        await using var connection = await database.OpenConnectionAsync();
        await using var command = connection.CreateCommand();
        command.CommandText =
            """
            CREATE TABLE IF NOT EXISTS cups (name TEXT PRIMARY KEY, cents BIGINT NOT NULL);
            CREATE TABLE IF NOT EXISTS orders (id UUID PRIMARY KEY, customer TEXT NOT NULL, cup TEXT NOT NULL, count BIGINT NOT NULL);
            INSERT INTO cups VALUES ('espresso', 900), ('latte', 1400), ('mug', 1100) ON CONFLICT DO NOTHING;
            """;
        await command.ExecuteNonQueryAsync();
    }

    /// <summary>
    /// Reads the cups. A read that a restart of the server interrupted is repeated on another connection. What the pool refuses
    /// is not repeated, because the pool has waited already.
    /// </summary>
    public async Task<IReadOnlyList<Cup>> ReadAsync(CancellationToken cancellationToken)
    {
        for (var attempt = 1; ; attempt++)
        {
            try
            {
                return await ReadOnceAsync(cancellationToken);
            }
            catch (DbException failure) when (failure.IsTransient && failure is not IPoolException && attempt < Attempts)
            {
                // The pool has noticed as well.
            }
        }
    }

    private async Task<IReadOnlyList<Cup>> ReadOnceAsync(CancellationToken cancellationToken)
    {
        await using var connection = await database.OpenConnectionAsync(cancellationToken);
        await using var command = connection.CreateCommand();
        command.CommandText = "SELECT name, cents FROM cups ORDER BY name";
        await using var reader = await command.ExecuteReaderAsync(cancellationToken);
        var cups = new List<Cup>();
        while (await reader.ReadAsync(cancellationToken))
        {
            cups.Add(new Cup(reader.GetString(0), reader.GetInt64(1)));
        }

        return cups;
    }
}
