using Poolhouse.Resources.Engine;
using Poolhouse.Resources.Engine.PolicyCalls;

namespace Poolhouse;

/// <summary>
/// Defines how a resource pool creates, validates, resets and destroys its items. Only <see cref="CreateAsync"/> is required.
/// </summary>
/// <typeparam name="T">The type of the item.</typeparam>
/// <remarks>
/// <para>
/// The pool calls every hook except <see cref="IsBroken"/>, <see cref="IsBrokenAfterIdle"/>, <see cref="IsExpired"/>,
/// <see cref="NeedsReset"/> and <see cref="CanReuseAsIs"/> in the background: never on the stack of a caller that rents or
/// returns, never under a lock, without the caller's <see cref="ExecutionContext"/>, and with a deadline of its own. If a hook
/// throws, hangs, or finishes after its deadline, the pool may destroy the item, but its capacity is never reduced.
/// </para>
/// <para>
/// Hooks run concurrently for different items, but never for the same item (except <see cref="DestroyAsync"/>, when another hook
/// hangs).
/// </para>
/// </remarks>
public abstract class ResourcePolicy<T>
    where T : notnull
{
    /// <summary>The optional hooks that this policy implements; the pool does not call the others.</summary>
    /// <value>Those that are overridden, unless this property is overridden too.</value>
    /// <remarks>
    /// A policy that passes its calls on to another one returns the hooks of that policy. Read once, when the pool is created.
    /// </remarks>
    public virtual ResourceHooks Hooks =>
        Flag(((Func<CancellationToken, T>)Create).Method, ResourceHooks.Create) |
        Flag(((Func<T, bool>)IsBroken).Method, ResourceHooks.IsBroken) |
        Flag(((Func<T, bool>)IsBrokenAfterIdle).Method, ResourceHooks.IsBrokenAfterIdle) |
        Flag(((Func<T, LeaseInfo, CancellationToken, ValueTask<bool>>)ValidateAsync).Method, ResourceHooks.Validate) |
        Flag(((Func<T, CancellationToken, ValueTask<bool>>)ResetAsync).Method, ResourceHooks.Reset) |
        Flag(((Func<T, bool>)NeedsReset).Method, ResourceHooks.NeedsReset) |
        Flag(((Func<T, CancellationToken, ValueTask<bool>>)ProveCleanAsync).Method, ResourceHooks.ProveClean) |
        Flag(((Func<T, CancellationToken, ValueTask>)KeepAliveAsync).Method, ResourceHooks.KeepAlive);

    /// <summary>Creates an item, ready to use.</summary>
    /// <param name="cancellationToken">Cancelled after <see cref="ResourcePoolOptions.CreateTimeout"/> and when the pool is
    /// disposed.</param>
    /// <returns>The item; null counts as a failure.</returns>
    /// <remarks>
    /// The creation belongs to the pool, not to the caller: a caller that stops waiting does not cancel it. Read credentials
    /// here, not in a constructor, so that rotated credentials take effect with the next item.
    /// </remarks>
    public abstract ValueTask<T> CreateAsync(CancellationToken cancellationToken);

    /// <summary>
    /// Creates an item without asynchronous calls. Override it if the resource has a genuinely synchronous API.
    /// </summary>
    /// <param name="cancellationToken">As for <see cref="CreateAsync"/>.</param>
    /// <returns>The item; null counts as a failure.</returns>
    /// <remarks>
    /// Used for synchronous rents, on a dedicated thread of the pool, so that they make progress even if every thread-pool thread
    /// is blocked. If it is not overridden, synchronous rents wait for <see cref="CreateAsync"/>.
    /// </remarks>
    /// <exception cref="NotSupportedException">Always, unless overridden; the pool then does not call it.</exception>
    public virtual T Create(CancellationToken cancellationToken) =>
        throw new NotSupportedException("The policy has no synchronous Create. Override it, or call CreateAsync.");

    /// <summary>
    /// Whether the item is known to be unusable, for example after a closed socket or a fatal error. Called on rent and on
    /// return.
    /// </summary>
    /// <param name="item">The item.</param>
    /// <returns>True to destroy the item. False unless overridden. Throwing counts as true.</returns>
    /// <remarks>Runs on the stack of the caller that rents or returns: read a field; do not block or perform I/O.</remarks>
    public virtual bool IsBroken(T item) => false;

    /// <summary>
    /// Whether the remote side has closed the item while it was idle. Called on rent, if the item was idle for 10 ms or more.
    /// </summary>
    /// <param name="item">The item, not leased yet.</param>
    /// <returns>
    /// True to destroy the item; the caller gets another one. False unless overridden. Throwing counts as true.
    /// </returns>
    /// <remarks>
    /// Runs on the stack of the caller that rents: query the operating system, as Socket.Poll does with a timeout of zero, and
    /// never wait for the remote side. It is not called for an item in constant use, because its users would notice, nor for
    /// the items of a <see cref="SharedResourcePool{T}"/>, which are never idle.
    /// </remarks>
    public virtual bool IsBrokenAfterIdle(T item) => false;

    /// <summary>
    /// Whether a failed creation would fail however often it is retried, for example because of a wrong password or an unknown
    /// host name.
    /// </summary>
    /// <param name="createFailure">The exception that <see cref="CreateAsync"/> or <see cref="Create"/> threw.</param>
    /// <returns>
    /// True to throw the failure to callers unchanged and at once, whatever <see cref="ResourcePoolOptions.OutageTimeout"/> is;
    /// as long as it needs items, the pool keeps retrying either way. False unless overridden. Throwing counts as false.
    /// </returns>
    public virtual bool IsPermanent(Exception createFailure) => false;

    /// <summary>
    /// Whether an item could not be created only because the server has no room for another one, for example because its maximum
    /// number of sessions is reached.
    /// </summary>
    /// <param name="createFailure">The exception that <see cref="CreateAsync"/> or <see cref="Create"/> threw.</param>
    /// <returns>
    /// True if callers should wait, in order of arrival and up to their timeout, until an item is returned or the server has
    /// room: this is no outage, and never permanent. False unless overridden. Throwing counts as false.
    /// </returns>
    /// <remarks>
    /// The pool tries again after 250 milliseconds, then less and less often, and at once when an item of its own has ended.
    /// </remarks>
    protected internal virtual bool LacksRoom(Exception createFailure) => false;

    /// <summary>Reads the state of the servers that items are created on, for tools that look into the process.</summary>
    /// <returns>
    /// The servers under names that have no secrets, usually from <c>GetStatistics</c> of a server set. Empty unless overridden.
    /// </returns>
    protected internal virtual IReadOnlyList<ServerStatistics<string>> GetServers() => [];

    /// <summary>
    /// Checks whether an item that was idle for <see cref="ResourcePoolOptions.ValidateAfterIdle"/> is still usable.
    /// </summary>
    /// <param name="item">The item, idle.</param>
    /// <param name="info">Usage information about the item.</param>
    /// <param name="cancellationToken">Cancelled after <see cref="ResourcePoolOptions.ValidateTimeout"/>.</param>
    /// <returns>False to destroy the item. True unless overridden.</returns>
    public virtual ValueTask<bool> ValidateAsync(T item, LeaseInfo info, CancellationToken cancellationToken) =>
        new(result: true);

    /// <summary>Whether a returned item needs <see cref="ResetAsync"/>. Called on return.</summary>
    /// <param name="item">The item.</param>
    /// <returns>
    /// False if the item is already clean: it becomes idle at once. True unless overridden. Throwing counts as true.
    /// </returns>
    /// <remarks>
    /// Runs on the stack of the caller that returns: read a field; do not block or perform I/O. It may be called more than once
    /// per return. It is not called for a tainted item.
    /// </remarks>
    public virtual bool NeedsReset(T item) => true;

    /// <summary>Resets a returned item for its next user.</summary>
    /// <param name="item">The item, no longer leased but still occupying its slot.</param>
    /// <param name="cancellationToken">Cancelled after <see cref="ResourcePoolOptions.ResetTimeout"/>.</param>
    /// <returns>False to destroy the item. True unless overridden.</returns>
    public virtual ValueTask<bool> ResetAsync(T item, CancellationToken cancellationToken) => new(result: true);

    /// <summary>
    /// The item to lease instead of one that was reset: another object for the same resource, if two users must not share the
    /// object. Called after <see cref="ResetAsync"/> returned true.
    /// </summary>
    /// <param name="item">The item that was reset.</param>
    /// <returns>The item to lease from now on; the same one unless overridden. Throwing counts as a failed reset.</returns>
    /// <remarks>
    /// The pool does not destroy the item that was replaced, unless it has abandoned the reset: then
    /// <see cref="DestroyAsync"/> gets that one, and must also destroy the new one.
    /// </remarks>
    protected internal virtual T RenewedItem(T item) => item;

    /// <summary>
    /// Checks whether an item whose lease was tainted is provably as good as new. Called before <see cref="ResetAsync"/>.
    /// </summary>
    /// <param name="item">The item, no longer leased but still occupying its slot.</param>
    /// <param name="cancellationToken">Cancelled after <see cref="ResourcePoolOptions.ResetTimeout"/>.</param>
    /// <returns>True to keep the item. False unless overridden: a tainted item is destroyed.</returns>
    public virtual ValueTask<bool> ProveCleanAsync(T item, CancellationToken cancellationToken) => new(result: false);

    /// <summary>
    /// Whether an item that another hook rejected has not failed: it serves only one lease, for example, or there is a better
    /// server than its own. Called after <see cref="IsBroken"/> returned true, or <see cref="ValidateAsync"/> or
    /// <see cref="ResetAsync"/> returned false.
    /// </summary>
    /// <param name="item">The item, which will be destroyed either way.</param>
    /// <returns>
    /// True to count the item under <see cref="DestroyReason.Expired"/>, which is not logged as a failure. False unless
    /// overridden. Throwing counts as false.
    /// </returns>
    /// <remarks>It may run on the stack of the caller that rents or returns: read a field; do not block or perform I/O.</remarks>
    public virtual bool IsExpired(T item) => false;

    /// <summary>Keeps the remote side from closing an idle item. Throw if the item is lost.</summary>
    /// <param name="item">The item, idle.</param>
    /// <param name="cancellationToken">Cancelled after <see cref="ResourcePoolOptions.ValidateTimeout"/>.</param>
    /// <returns>A task that completes when the keep-alive has succeeded.</returns>
    public virtual ValueTask KeepAliveAsync(T item, CancellationToken cancellationToken) => default;

    /// <summary>Destroys an item. Called exactly once for each item that the pool created and that was not detached.</summary>
    /// <param name="item">The item.</param>
    /// <param name="reason">Why the item is destroyed.</param>
    /// <returns>
    /// A task that completes when the item is destroyed. Its slot is released after
    /// <see cref="ResourcePoolOptions.DestroyTimeout"/> at the latest.
    /// </returns>
    /// <remarks>
    /// Unless overridden, calls DisposeAsync, or else Dispose, if the item has them. Exceptions are counted and swallowed.
    /// </remarks>
    public virtual ValueTask DestroyAsync(T item, DestroyReason reason) => ItemDisposal.DisposeAsync(item);

    /// <summary>
    /// Whether a returned item needs neither a reset nor a replacement. Called on return instead of <see cref="NeedsReset"/> and
    /// <see cref="IsBroken"/>, if the policy implements the former; override it where one check is faster than both.
    /// </summary>
    /// <param name="item">The item.</param>
    /// <returns>
    /// True if the item can become idle, or be handed to a waiting caller, at once. After false or an exception, the pool calls
    /// the two others.
    /// </returns>
    /// <remarks>Runs on the stack of the caller that returns: read a field; do not block or perform I/O.</remarks>
    protected internal virtual bool CanReuseAsIs(T item) => !NeedsReset(item) && !IsBroken(item);

    /// <summary>
    /// Whether the item is broken because its parent is inactive: the object that it depends on is gone. For a policy with
    /// <see cref="InternalHooks.IsBrokenByParent"/>. Called under the pool's lock.
    /// </summary>
    internal virtual bool IsBrokenByParent(T item) => false;

    /// <summary>
    /// Does the same as <see cref="CreateAsync"/>. For a policy that must know when the pool abandons the creation.
    /// </summary>
    internal virtual ValueTask<T> CreateTrackedAsync(ResourceCreation creation, CancellationToken cancellationToken) =>
        CreateAsync(cancellationToken);

    /// <summary>
    /// Called when a validation or a keep-alive of an item has exceeded its timeout and was abandoned, before the pool decides
    /// what to do next: to clear other items of the same server, for example, before callers wait for their validation too.
    /// </summary>
    /// <param name="item">The item. The pool destroys it.</param>
    /// <remarks>
    /// Does nothing unless overridden. Exceptions are ignored. Runs on the thread that observes every deadline of the pool: set a
    /// field or call <see cref="ResourcePool{T}.Clear(Func{T, bool}, TimeSpan)"/>; do not block or perform I/O.
    /// </remarks>
    protected internal virtual void OnValidationAbandoned(T item)
    {
    }

    /// <summary>
    /// Called once when the pool has finished with an item: its destruction has ended or was abandoned. Its slot is released
    /// after this call.
    /// </summary>
    internal virtual void OnReleasing(T item)
    {
    }

    // A delegate identifies the method that a call would reach; unlike a lookup by name, this also works with trimming and
    // ahead-of-time compilation.
    private static ResourceHooks Flag(System.Reflection.MethodInfo method, ResourceHooks hook) =>
        method.DeclaringType == typeof(ResourcePolicy<T>) ? ResourceHooks.None : hook;
}
