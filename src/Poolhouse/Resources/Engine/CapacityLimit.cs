namespace Poolhouse.Resources.Engine;

/// <summary>The settings that limit a pool, as the messages of its exceptions name them.</summary>
/// <param name="settings">The settings whose product is the limit.</param>
internal sealed class CapacityLimit(params string[] settings)
{
    public static CapacityLimit MaxSize { get; } = new("MaxSize");

    /// <summary>What the limit is computed from.</summary>
    public string Product { get; } = string.Join(" x ", settings);

    /// <summary>The settings to choose from to raise it.</summary>
    public string Any { get; } = string.Join(" or ", settings);

    /// <summary>The same, and another setting.</summary>
    public string AnyOr(string other) => $"{string.Join(", ", settings)} or {other}";
}
