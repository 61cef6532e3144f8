namespace Poolhouse.Tool.Bench.Objects.Operations;

/// <summary>No pool: a list that starts empty and grows, as most code has it.</summary>
internal readonly struct NewLists : ISource<List<int>>
{
    public List<int> Take() => [];

    public void Give(List<int> item)
    {
    }
}
