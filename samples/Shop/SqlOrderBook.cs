using System.Data.Common;

namespace Poolhouse.Samples.Shop;

/// <summary>Orders in SQLite, for which no provider of EF Core is referenced.</summary>
internal sealed class SqlOrderBook([FromKeyedServices("shop")] DbDataSource database) : IOrderBook
{
    public async Task AddAsync(Order order, CancellationToken cancellationToken)
    {
        await using var connection = await database.OpenConnectionAsync(cancellationToken);
        await using var command = connection.CreateCommand();
        command.CommandText = "INSERT OR IGNORE INTO orders VALUES (@id, @customer, @cup, @count)";
        foreach (var (name, value) in (ReadOnlySpan<(string, object)>)[("id", order.Id.ToString()), ("customer", order.Customer),
            ("cup", order.Cup), ("count", order.Count)])
        {
            command.AddParameter(name, value);
        }

        await command.ExecuteNonQueryAsync(cancellationToken);
    }

    public async Task<IReadOnlyList<Order>> OfAsync(string customer, CancellationToken cancellationToken)
    {
        await using var connection = await database.OpenConnectionAsync(cancellationToken);
        await using var command = connection.CreateCommand();
        command.CommandText = "SELECT id, cup, count FROM orders WHERE customer = @customer ORDER BY cup";
        command.AddParameter("customer", customer);
        var orders = new List<Order>();
        await using var reader = await command.ExecuteReaderAsync(cancellationToken);
        while (await reader.ReadAsync(cancellationToken))
        {
            orders.Add(new Order(Guid.Parse(reader.GetString(0)), customer, reader.GetString(1), reader.GetInt64(2)));
        }

        return orders;
    }
}
