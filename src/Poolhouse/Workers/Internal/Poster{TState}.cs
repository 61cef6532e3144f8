namespace Poolhouse.Workers;

/// <summary>Calls the delegate of a plain post.</summary>
internal abstract class Poster<TState> : Poster
{
    public abstract void Invoke(TState state, object work, object? argument);
}
