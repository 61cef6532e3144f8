using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Poolhouse.Workers.Items;

/// <summary>Calls the delegates of plain posts, one invoker per delegate type.</summary>
// Entries do not refer to their invoker; it is found by the type of the delegate.
internal abstract class PostInvoker<TState>(Type calls)
{
    private static readonly ConditionalWeakTable<Type, PostInvoker<TState>> _known = [];

    /// <summary>The type of the delegates.</summary>
    public Type Calls { get; } = calls;

    /// <summary>Gets the invoker for the type of a delegate that was posted.</summary>
    public static PostInvoker<TState> Of(Type type) =>
        _known.TryGetValue(type, out var invoker) ? invoker : throw new UnreachableException();

    public abstract void Invoke(TState state, object work, object? argument);

    protected static TInvoker Register<TInvoker>(TInvoker invoker)
        where TInvoker : PostInvoker<TState>
    {
        _known.AddOrUpdate(invoker.Calls, invoker);
        return invoker;
    }
}
