using Poolhouse.Kernel;
using Poolhouse.Resources.Engine;

namespace Poolhouse;

/// <summary>How a resource pool makes, checks, cleans and destroys its items. Only <see cref="CreateAsync"/> is required.</summary>
/// <typeparam name="T">The type of the item.</typeparam>
/// <remarks>
/// <para>
/// The pool calls every hook but <see cref="IsBroken"/>, <see cref="IsClosed"/> and <see cref="NeedsReset"/> in the background: never on the stack of a caller that
/// rents or returns, never under a lock, without the caller's <see cref="ExecutionContext"/>, and with a deadline of its own. A hook that throws, hangs, or
/// finishes after its deadline costs the item and never a place in the pool.
/// </para>
/// <para>Hooks are called for several items at once, but never two for one item (except <see cref="DestroyAsync"/>, when another hook hangs).</para>
/// </remarks>
public abstract class ResourcePolicy<T>
    where T : notnull
{
    /// <summary>The hooks that this policy really has, so that the pool can leave out the others.</summary>
    internal virtual ResourceHooks Hooks =>
        Flag(((Func<CancellationToken, T>)Create).Method, ResourceHooks.Create) |
        Flag(((Func<T, bool>)IsBroken).Method, ResourceHooks.IsBroken) |
        Flag(((Func<T, bool>)IsClosed).Method, ResourceHooks.IsClosed) |
        Flag(((Func<T, LeaseInfo, CancellationToken, ValueTask<bool>>)ValidateAsync).Method, ResourceHooks.Validate) |
        Flag(((Func<T, CancellationToken, ValueTask<bool>>)ResetAsync).Method, ResourceHooks.Reset) |
        Flag(((Func<T, bool>)NeedsReset).Method, ResourceHooks.NeedsReset) |
        Flag(((Func<T, CancellationToken, ValueTask<bool>>)ProveCleanAsync).Method, ResourceHooks.ProveClean) |
        Flag(((Func<T, CancellationToken, ValueTask>)KeepAliveAsync).Method, ResourceHooks.KeepAlive);

    /// <summary>Makes an item, ready to use.</summary>
    /// <param name="cancellationToken">Cancelled after <see cref="ResourcePoolOptions.CreateTimeout"/> and when the pool is disposed.</param>
    /// <returns>The item; null counts as a failure.</returns>
    /// <remarks>
    /// The creation is the pool's, not the caller's: a caller that gives up does not stop it. Read credentials here, not in a
    /// constructor, so that rotated ones take effect with the next item.
    /// </remarks>
    public abstract ValueTask<T> CreateAsync(CancellationToken cancellationToken);

    /// <summary>Makes an item without asynchronous calls. Override it where the resource has a real synchronous way.</summary>
    /// <param name="cancellationToken">As for <see cref="CreateAsync"/>.</param>
    /// <returns>The item; null counts as a failure.</returns>
    /// <remarks>
    /// Used for synchronous rents, on a thread of the pool's own, so that they make progress although every thread-pool thread is
    /// blocked. Without it, synchronous rents wait for <see cref="CreateAsync"/>.
    /// </remarks>
    /// <exception cref="NotSupportedException">Always, unless overridden; the pool does not call it then.</exception>
    public virtual T Create(CancellationToken cancellationToken) =>
        throw new NotSupportedException("The policy has no synchronous Create. Override it, or call CreateAsync.");

    /// <summary>Whether the item is known to be unusable: a closed socket, a fatal error. Called on rent and on return.</summary>
    /// <param name="item">The item.</param>
    /// <returns>True to destroy the item. False unless overridden. Throwing counts as true.</returns>
    /// <remarks>Runs on the stack of the caller that rents or returns: look at a field, do not block and do no I/O.</remarks>
    public virtual bool IsBroken(T item) => false;

    /// <summary>Whether the other side has hung up while the item was idle. Called on rent, if it was idle for 10 ms or more.</summary>
    /// <param name="item">The item, not leased yet.</param>
    /// <returns>True to destroy the item; the caller gets another one. False unless overridden. Throwing counts as true.</returns>
    /// <remarks>
    /// Runs on the stack of the caller that rents: ask the operating system, as Socket.Poll does with a time of zero, and never wait for the other side. An item in
    /// constant use is not asked about: its users would notice. Nor are those of a <see cref="SharedResourcePool{T}"/>, which are never idle.
    /// </remarks>
    public virtual bool IsClosed(T item) => false;

    /// <summary>Whether a failed creation would fail again however often it is tried: a wrong password, a name that does not exist.</summary>
    /// <param name="createFailure">What <see cref="CreateAsync"/> or <see cref="Create"/> threw.</param>
    /// <returns>
    /// True to tell callers at once, as with <see cref="CreateFailureMode.FailFast"/>, also where the pool waits out other failures; it goes on
    /// trying in the same way. False unless overridden. Throwing counts as false.
    /// </returns>
    public virtual bool IsPermanent(Exception createFailure) => false;

    /// <summary>Whether an item that was idle for <see cref="ResourcePoolOptions.ValidateAfterIdle"/> is still usable.</summary>
    /// <param name="item">The item, idle.</param>
    /// <param name="info">What the pool knows about it.</param>
    /// <param name="cancellationToken">Cancelled after <see cref="ResourcePoolOptions.ValidateTimeout"/>.</param>
    /// <returns>False to destroy the item. True unless overridden.</returns>
    public virtual ValueTask<bool> ValidateAsync(T item, LeaseInfo info, CancellationToken cancellationToken) => new(result: true);

    /// <summary>Whether <see cref="ResetAsync"/> has anything to do for a returned item. Called on return.</summary>
    /// <param name="item">The item.</param>
    /// <returns>False if its user left no trace: it is idle at once. True unless overridden. Throwing counts as true.</returns>
    /// <remarks>
    /// Runs on the stack of the caller that returns: look at a field, do not block and do no I/O. May be asked more than once a return.
    /// A tainted item is not asked about.
    /// </remarks>
    public virtual bool NeedsReset(T item) => true;

    /// <summary>Cleans a returned item for its next user.</summary>
    /// <param name="item">The item, no longer leased; its place is held.</param>
    /// <param name="cancellationToken">Cancelled after <see cref="ResourcePoolOptions.ResetTimeout"/>.</param>
    /// <returns>False to destroy the item. True unless overridden.</returns>
    public virtual ValueTask<bool> ResetAsync(T item, CancellationToken cancellationToken) => new(result: true);

    /// <summary>Whether an item whose lease was tainted is provably as good as new: asked before <see cref="ResetAsync"/>.</summary>
    /// <param name="item">The item, no longer leased; its place is held.</param>
    /// <param name="cancellationToken">Cancelled after <see cref="ResourcePoolOptions.ResetTimeout"/>.</param>
    /// <returns>True to keep the item. False unless overridden: a tainted item is destroyed.</returns>
    public virtual ValueTask<bool> ProveCleanAsync(T item, CancellationToken cancellationToken) => new(result: false);

    /// <summary>Keeps an idle item from being closed by the other side. Throw if the item is lost.</summary>
    /// <param name="item">The item, idle.</param>
    /// <param name="cancellationToken">Cancelled after <see cref="ResourcePoolOptions.ValidateTimeout"/>.</param>
    /// <returns>A task that completes when the item was kept alive.</returns>
    public virtual ValueTask KeepAliveAsync(T item, CancellationToken cancellationToken) => default;

    /// <summary>Destroys an item: exactly once for each one that the pool created and nobody detached.</summary>
    /// <param name="item">The item.</param>
    /// <param name="reason">Why.</param>
    /// <returns>A task that completes when the item is gone. Its place is free after <see cref="ResourcePoolOptions.DestroyTimeout"/> at the latest.</returns>
    /// <remarks>Unless overridden it calls DisposeAsync, else Dispose, if the item has them. What it throws is counted and swallowed.</remarks>
    public virtual ValueTask DestroyAsync(T item, DestroyReason reason) => ItemDisposal.DisposeAsync(item);

    /// <summary>What <see cref="NeedsReset"/> and <see cref="IsBroken"/> say together, for a policy that has the former.</summary>
    internal virtual bool IsPristine(T item) => !NeedsReset(item) && !IsBroken(item);

    /// <summary>
    /// Whether what the item rests on is gone, for a policy with <see cref="ResourceHooks.Forsakes"/>. Under the pool's gate.
    /// </summary>
    internal virtual bool IsOrphaned(T item) => false;

    /// <summary>
    /// A creation has taken too long and was given up: what it holds may be used elsewhere. A creation whose token is cancelled because
    /// the pool is closed goes on holding it.
    /// </summary>
    /// <param name="creation">The token that the creation was given.</param>
    internal virtual void OnCreateGivenUp(CancellationToken creation)
    {
    }

    /// <summary>
    /// The pool has done with an item, once: its destruction has ended or was given up. Its place is free after this.
    /// </summary>
    internal virtual void OnDestroyed(T item)
    {
    }

    // A delegate names the method that a call would reach; unlike a look-up by name, this also works trimmed and compiled ahead of time.
    private static ResourceHooks Flag(System.Reflection.MethodInfo method, ResourceHooks hook) =>
        method.DeclaringType == typeof(ResourcePolicy<T>) ? ResourceHooks.None : hook;
}
