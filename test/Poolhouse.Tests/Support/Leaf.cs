namespace Poolhouse.Tests;

/// <summary>A child for the tests of nested pools. Its ToString throws.</summary>
internal sealed class Leaf(int number, Part parent)
{
    public int Number { get; } = number;

    public Part Parent { get; } = parent;

    public bool IsBroken { get; set; }

    public override string ToString() => throw new InvalidOperationException("ToString was called on an item.");
}
