using Microsoft.EntityFrameworkCore;
using Npgsql;

namespace Poolhouse.Samples.Shop;

/// <summary>Orders in PostgreSQL. EF Core repeats operations that a failover interrupted.</summary>
internal sealed class ContextOrderBook(ShopContext shop) : IOrderBook
{
    public async Task AddAsync(Order order, CancellationToken cancellationToken)
    {
        try
        {
            shop.Add(order);
            await shop.SaveChangesAsync(cancellationToken);
        }
        catch (DbUpdateException failure)
            when (failure.InnerException is PostgresException { SqlState: PostgresErrorCodes.UniqueViolation })
        {
            // It was stored before the connection was lost.
        }
    }

    public async Task<IReadOnlyList<Order>> OfAsync(string customer, CancellationToken cancellationToken) =>
        await shop.Orders.AsNoTracking().Where(order => order.Customer == customer).OrderBy(order => order.Cup)
            .ToListAsync(cancellationToken);
}
