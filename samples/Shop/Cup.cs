namespace Poolhouse.Samples.Shop;

internal sealed record Cup(string Name, long Cents);
