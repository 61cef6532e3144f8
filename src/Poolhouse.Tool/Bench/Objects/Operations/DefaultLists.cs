using Microsoft.Extensions.ObjectPool;

namespace Poolhouse.Tool.Bench.Objects.Operations;

/// <summary>The pool of ASP.NET Core.</summary>
internal readonly struct DefaultLists(DefaultObjectPool<List<int>> pool) : ISource<List<int>>
{
    public List<int> Take() => pool.Get();

    public void Give(List<int> item) => pool.Return(item);
}
