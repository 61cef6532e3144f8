using Microsoft.Extensions.ObjectPool;

namespace Poolhouse.Objects;

/// <summary>The policy of a pool in paranoid mode: it checks a returned item before it calls the real policy.</summary>
// A double return must not reset an item that another caller uses. Being a policy, it needs no instruction in pools without
// paranoid mode.
internal sealed class CheckingPolicy<T>(IPooledObjectPolicy<T> policy) : IPooledObjectPolicy<T>
    where T : class
{
    private Func<T, bool> _mayReturn = static _ => true;

    /// <summary>Sets the check, once, before the pool is used.</summary>
    public void Check(Func<T, bool> mayReturn) => _mayReturn = mayReturn;

    public T Create() => policy.Create();

    public bool Return(T obj) => _mayReturn(obj) && policy.Return(obj);
}
