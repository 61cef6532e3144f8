using Microsoft.Extensions.ObjectPool;

namespace Poolhouse.Objects;

/// <summary>A policy made of delegates, for the constructor that takes them.</summary>
internal sealed class DelegatePolicy<T>(Func<T> create, Func<T, bool>? reset) : IPooledObjectPolicy<T>
    where T : class
{
    public bool HasReset => reset is not null;

    public T Create() => create();

    public bool Return(T obj) => reset is null || reset(obj);
}
