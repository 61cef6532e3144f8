namespace Poolhouse.Analyzers.Flow;

/// <summary>The target of an expression: an item itself, or a part of it such as a span.</summary>
internal readonly struct Reference
{
    public Reference(Item item, bool isPart)
    {
        Item = item;
        IsPart = isPart;
    }

    public Item Item { get; }

    public bool IsPart { get; }
}
