using Microsoft.Extensions.ObjectPool;

namespace Poolhouse.Tool.Bench.Objects.Operations;

/// <summary>Lists are cleared on return and keep their capacity, whatever it is.</summary>
internal sealed class ListPolicy : IPooledObjectPolicy<List<int>>
{
    public List<int> Create() => [];

    public bool Return(List<int> obj)
    {
        obj.Clear();
        return true;
    }
}
