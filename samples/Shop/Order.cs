namespace Poolhouse.Samples.Shop;

/// <summary>
/// What a customer bought. The customer's browser chooses the number, so that an order sent twice is one order.
/// </summary>
internal sealed record Order(Guid Id, string Customer, string Cup, long Count);
