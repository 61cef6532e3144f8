namespace Poolhouse.Tests;

/// <summary>An item for the tests of resource pools. Its ToString throws, because pools must never call it (I27).</summary>
internal sealed class Part(int number)
{
    public int Number { get; } = number;

    /// <summary>The state that the last user left behind.</summary>
    public string? Session { get; set; }

    public bool IsBroken { get; set; }

    public override string ToString() => throw new InvalidOperationException("ToString was called on an item.");
}
