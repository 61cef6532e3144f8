namespace Poolhouse.Workers;

/// <summary>
/// Defines how a worker pool creates, validates and destroys the states of its threads. Only <see cref="Create"/> is required.
/// </summary>
/// <typeparam name="TState">The type of the state.</typeparam>
/// <remarks>
/// Every member is called on the thread that owns the state, never under a lock, so a state may be bound to its thread, as COM
/// objects, embedded interpreters and native parsers are. Members may be called for several states concurrently. They do not see
/// the async locals and the synchronization context that an item has left on the thread. <see cref="IsBroken"/> may still see its
/// thread settings and a pending interrupt: to undo them after each item would cost more than a post.
/// </remarks>
public abstract class WorkerPolicy<TState>
    where TState : notnull
{
    /// <summary>
    /// Creates the state of the calling thread, before its first item and after a previous state was destroyed.
    /// </summary>
    /// <param name="cancellationToken">Cancelled when the pool is disposed.</param>
    /// <returns>The state; null counts as a failure.</returns>
    /// <remarks>If it throws, the item that needed the state fails with that exception; the next item tries again.</remarks>
    public abstract TState Create(CancellationToken cancellationToken);

    /// <summary>Determines whether the state is known to be unusable. Called after each item.</summary>
    /// <param name="state">The state.</param>
    /// <returns>True to destroy the state; false unless overridden. An exception counts as true.</returns>
    public virtual bool IsBroken(TState state) => false;

    /// <summary>Whether <see cref="IsBroken"/> can return true. If not, it is not called after each item.</summary>
    internal virtual bool ChecksStates => true;

    /// <summary>Determines whether the state is still usable after an item, or other code on its thread, failed.</summary>
    /// <param name="state">The state.</param>
    /// <param name="failure">The exception that was thrown.</param>
    /// <returns>
    /// True to keep the state. False unless overridden, so the state is destroyed. An exception counts as false.
    /// </returns>
    /// <remarks>
    /// If several exceptions were thrown before the state is validated, for example by an item and by tasks that it ran on its
    /// thread, it is called for each of them until it returns false. If 100 or more were thrown besides that of the item, the
    /// state is destroyed without calling it for those.
    /// </remarks>
    public virtual bool Survives(TState state, Exception failure) => false;

    /// <summary>Destroys a state. Called exactly once for each state created.</summary>
    /// <param name="state">The state.</param>
    /// <param name="reason">Why the state is destroyed.</param>
    /// <remarks>
    /// Unless overridden, it calls Dispose, or blocks until DisposeAsync has completed, if the state implements either.
    /// Exceptions are counted and swallowed. There is no time limit: while it hangs, its worker keeps its slot, and a drain
    /// waits.
    /// </remarks>
    public virtual void Destroy(TState state, WorkerDestroyReason reason)
    {
        switch (state)
        {
            case IDisposable disposable:
                disposable.Dispose();
                break;
            case IAsyncDisposable disposable:
#pragma warning disable VSTHRD002 // It has to complete on this thread, and the thread has no context to wait for.
                disposable.DisposeAsync().AsTask().GetAwaiter().GetResult();
#pragma warning restore VSTHRD002
                break;
            default:
                break;
        }
    }
}
