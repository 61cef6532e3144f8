namespace Poolhouse.Samples.OrdersApi;

/// <summary>What a customer ordered.</summary>
public sealed record Order(string Customer, string Cup, long Count);
