namespace Poolhouse.Tool.Bench.Objects.Operations;

/// <summary>No pool.</summary>
internal readonly struct NewItems : ISource<Item>
{
    public Item Take() => new();

    public void Give(Item item)
    {
    }
}
