using Microsoft.Extensions.ObjectPool;

namespace Poolhouse.Tool.Bench.Objects.Operations;

/// <summary>The pool of ASP.NET Core.</summary>
internal readonly struct DefaultItems(DefaultObjectPool<Item> pool) : ISource<Item>
{
    public Item Take() => pool.Get();

    public void Give(Item item) => pool.Return(item);
}
