namespace Poolhouse.Resources.Engine;

/// <summary>The settings that limit a pool, as the messages of its exceptions name them.</summary>
/// <param name="Product">What the limit is computed from.</param>
/// <param name="Any">The settings to choose from to raise it.</param>
internal sealed record CapacityLimit(string Product, string Any)
{
    public static CapacityLimit MaxSize { get; } = new("MaxSize", "MaxSize");

    public static CapacityLimit ProductOf(string items, string perItem) => new($"{items} x {perItem}", $"{items} or {perItem}");
}
