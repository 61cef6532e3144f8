using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Poolhouse.Workers.Items;

/// <summary>Calls the delegates of plain posts that are of one type.</summary>
// Entries do not name their invoker: the type of the delegate finds it.
internal abstract class PostInvoker<TState>(Type calls)
{
    private static readonly ConditionalWeakTable<Type, PostInvoker<TState>> _known = [];

    /// <summary>The type of the delegates.</summary>
    public Type Calls { get; } = calls;

    /// <summary>The one for a type of delegate that was posted.</summary>
    public static PostInvoker<TState> Of(Type type) => _known.TryGetValue(type, out var invoker) ? invoker : throw new UnreachableException();

    public abstract void Invoke(TState state, object work, object? argument);

    protected static TPoster Known<TPoster>(TPoster invoker)
        where TPoster : PostInvoker<TState>
    {
        _known.AddOrUpdate(invoker.Calls, invoker);
        return invoker;
    }
}
