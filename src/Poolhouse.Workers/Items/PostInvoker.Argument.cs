using System.Runtime.CompilerServices;

namespace Poolhouse.Workers.Items;

/// <inheritdoc/>
internal sealed class PostInvoker<TState, TArgument>() : PostInvoker<TState>(typeof(Action<TState, TArgument>))
{
    private static readonly PostInvoker<TState, TArgument> _registered = Register(new PostInvoker<TState, TArgument>());

    /// <summary>
    /// Whether the work and the argument can be queued as a plain post. An argument of a value type would have to be boxed, and a
    /// delegate for a base type of the argument has a different type.
    /// </summary>
    public static bool IsFor(object work) => !typeof(TArgument).IsValueType && work.GetType() == _registered.Calls;

    // The types were checked when the entry was created.
    public override void Invoke(TState state, object work, object? argument) =>
        Unsafe.As<Action<TState, TArgument>>(work)(state, Unsafe.As<object?, TArgument>(ref argument));
}
