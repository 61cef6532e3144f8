using System.Runtime.CompilerServices;

namespace Poolhouse.Workers.Items;

/// <inheritdoc/>
internal sealed class PostInvoker<TState, TArgument>() : PostInvoker<TState>(typeof(Action<TState, TArgument>))
{
    private static readonly PostInvoker<TState, TArgument> _known = Known(new PostInvoker<TState, TArgument>());

    /// <summary>
    /// Whether plain posts can have such work and such an argument. One that is not a reference would have to be boxed; a delegate for a
    /// base type of the argument is of another type.
    /// </summary>
    public static bool IsFor(object work) => !typeof(TArgument).IsValueType && work.GetType() == _known.Calls;

    // Whoever made the entry has checked the types.
    public override void Invoke(TState state, object work, object? argument) =>
        Unsafe.As<Action<TState, TArgument>>(work)(state, Unsafe.As<object?, TArgument>(ref argument));
}
