using System.Runtime.CompilerServices;

namespace Poolhouse.Workers;

/// <inheritdoc/>
internal sealed class Poster<TState, TArgument> : Poster<TState>
{
    public static readonly Poster<TState, TArgument> Instance = new();

    /// <summary>Whether plain posts can have such an argument: one that is not a reference would have to be boxed.</summary>
    public static bool IsPossible => !typeof(TArgument).IsValueType;

    // Whoever made the entry has checked the types.
    public override void Invoke(TState state, object work, object? argument) =>
        Unsafe.As<Action<TState, TArgument>>(work)(state, Unsafe.As<object?, TArgument>(ref argument));
}
