namespace Poolhouse.Samples.Shop;

internal interface IOrderBook
{
    Task AddAsync(Order order, CancellationToken cancellationToken);

    Task<IReadOnlyList<Order>> OfAsync(string customer, CancellationToken cancellationToken);
}
