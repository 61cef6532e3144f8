
namespace Poolhouse;

/// <summary>
/// How a worker pool makes, judges and destroys the state of its threads. Only <see cref="Create"/> is required.
/// </summary>
/// <typeparam name="TState">The type of the state.</typeparam>
/// <remarks>
/// Every member is called on the thread that the state belongs to, never under a lock: a state may depend on its thread, as COM
/// objects, embedded interpreters and native parsers do. Members are called for several states at once.
/// </remarks>
public abstract class WorkerPolicy<TState>
    where TState : notnull
{
    /// <summary>Makes the state of the thread that calls, before its first item and after the last state was destroyed.</summary>
    /// <param name="cancellationToken">Cancelled when the pool is disposed.</param>
    /// <returns>The state; null counts as a failure.</returns>
    /// <remarks>What it throws is the answer to the item for which the state was to be made; the next item tries again.</remarks>
    public abstract TState Create(CancellationToken cancellationToken);

    /// <summary>Whether the state is known to be unusable. Asked after each item.</summary>
    /// <param name="state">The state.</param>
    /// <returns>True to destroy it. False unless overridden. Throwing counts as true.</returns>
    public virtual bool IsBroken(TState state) => false;

    /// <summary>Whether the state is as good as before although an item, or anything else on its thread, failed.</summary>
    /// <param name="state">The state.</param>
    /// <param name="failure">What was thrown.</param>
    /// <returns>True to keep it. False unless overridden: it is destroyed. Throwing counts as false.</returns>
    public virtual bool Survives(TState state, Exception failure) => false;

    /// <summary>Destroys a state, exactly once for each one made.</summary>
    /// <param name="state">The state.</param>
    /// <param name="reason">Why.</param>
    /// <remarks>
    /// Unless overridden it calls Dispose, or blocks until DisposeAsync has ended, if the state has one. What it throws is
    /// counted and swallowed.
    /// </remarks>
    public virtual void Destroy(TState state, DestroyReason reason)
    {
        switch (state)
        {
            case IDisposable disposable:
                disposable.Dispose();
                break;
            case IAsyncDisposable disposable:
#pragma warning disable VSTHRD002 // It has to end on this thread, and the thread has no context that it could wait for.
                disposable.DisposeAsync().AsTask().GetAwaiter().GetResult();
#pragma warning restore VSTHRD002
                break;
            default:
                break;
        }
    }
}
