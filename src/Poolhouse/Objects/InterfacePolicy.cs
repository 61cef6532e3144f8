using System.Diagnostics.CodeAnalysis;
using Microsoft.Extensions.ObjectPool;

namespace Poolhouse.Objects;

/// <summary>Calls a policy through its interface; used by the drop-in pool.</summary>
internal readonly struct InterfacePolicy<T>(IPooledObjectPolicy<T> policy) : IPooledObjectPolicy<T>
    where T : class
{
    public T Create() => policy.Create();

    public bool Return(T obj) => policy.Return(obj);

    /// <summary>Whether calling this policy on a return can have any effect.</summary>
    // The default policy calls IResettable.TryReset and otherwise returns true. A class that is not sealed could have a
    // resettable subclass.
    [SuppressMessage(
        "Design", "CA1000:Do not declare static members on generic types",
        Justification = "Internal, and called where T is known.")]
    public static bool Resets(IPooledObjectPolicy<T> policy) =>
        policy.GetType().IsGenericType && policy.GetType().GetGenericTypeDefinition() == typeof(DefaultPooledObjectPolicy<>)
            ? !typeof(T).IsSealed || typeof(T).IsAssignableTo(typeof(IResettable))
            : policy is not DelegatePolicy<T> { HasReset: false };
}
