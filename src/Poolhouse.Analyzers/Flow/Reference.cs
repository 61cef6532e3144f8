namespace Poolhouse.Analyzers.Flow;

/// <summary>What an expression refers to: an item itself, or a part of it such as a span.</summary>
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
