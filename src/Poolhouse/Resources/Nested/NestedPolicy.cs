using Poolhouse.Resources.Engine;
using Poolhouse.Resources.Engine.PolicyCalls;

namespace Poolhouse;

/// <summary>
/// Defines how a nested pool creates, validates, resets and destroys its children. Only <see cref="CreateAsync"/> is required.
/// </summary>
/// <typeparam name="TParent">The type of the parent that children are created on: a connection, a browser.</typeparam>
/// <typeparam name="TChild">The type of the children: channels, pages.</typeparam>
/// <remarks>
/// The hooks are called in the same way as those of a <see cref="ResourcePolicy{T}"/>: all except <see cref="IsBroken"/>,
/// <see cref="IsBrokenAfterIdle"/>, <see cref="IsExpired"/> and <see cref="NeedsReset"/> in the background, never on the stack
/// of a caller that rents or returns, never under a lock, and each with a deadline of its own. If a hook throws, hangs, or
/// finishes after its deadline, the pool may destroy the child, but the capacity of the pool and of the parent is never reduced.
/// </remarks>
public abstract class NestedPolicy<TParent, TChild>
    where TParent : notnull
    where TChild : notnull
{
    /// <summary>The optional hooks that this policy implements; the pool does not call the others.</summary>
    /// <value>Those that are overridden, unless this property is overridden too.</value>
    /// <remarks>
    /// A policy that passes its calls on to another one returns the hooks of that policy. Read once, when the pool is created.
    /// </remarks>
    public virtual ResourceHooks Hooks =>
        Flag(((Func<TChild, bool>)IsBroken).Method, ResourceHooks.IsBroken) |
        Flag(((Func<TChild, bool>)IsBrokenAfterIdle).Method, ResourceHooks.IsBrokenAfterIdle) |
        Flag(((Func<TChild, LeaseInfo, CancellationToken, ValueTask<bool>>)ValidateAsync).Method, ResourceHooks.Validate) |
        Flag(((Func<TChild, CancellationToken, ValueTask<bool>>)ResetAsync).Method, ResourceHooks.Reset) |
        Flag(((Func<TChild, bool>)NeedsReset).Method, ResourceHooks.NeedsReset) |
        Flag(((Func<TChild, CancellationToken, ValueTask<bool>>)ProveCleanAsync).Method, ResourceHooks.ProveClean) |
        Flag(((Func<TChild, CancellationToken, ValueTask>)KeepAliveAsync).Method, ResourceHooks.KeepAlive);

    /// <summary>Creates a child on a parent, ready to use.</summary>
    /// <param name="parent">The parent. Several children may be created on it at once.</param>
    /// <param name="cancellationToken">Cancelled when the children's CreateTimeout is over and when the pool is disposed.</param>
    /// <returns>The child; null counts as a failure.</returns>
    /// <remarks>
    /// After a failure, the pool checks the parent: if it is broken, the child is created on another one; otherwise the failure
    /// counts, and the parent's KeepAliveAsync is called, if its policy implements it.
    /// </remarks>
    public abstract ValueTask<TChild> CreateAsync(TParent parent, CancellationToken cancellationToken);

    /// <summary>Whether the child is known to be unusable, although its parent is not. Called on rent and on return.</summary>
    /// <inheritdoc cref="ResourcePolicy{T}.IsBroken"/>
    public virtual bool IsBroken(TChild item) => false;

    /// <inheritdoc cref="ResourcePolicy{T}.IsBrokenAfterIdle"/>
    public virtual bool IsBrokenAfterIdle(TChild item) => false;

    /// <inheritdoc cref="ResourcePolicy{T}.IsPermanent"/>
    public virtual bool IsPermanent(Exception createFailure) => false;

    /// <inheritdoc cref="ResourcePolicy{T}.IsExpired"/>
    public virtual bool IsExpired(TChild item) => false;

    /// <summary>
    /// Whether a child could not be created because the parent has as many children as it can carry, for instance because the
    /// server allows fewer than <see cref="NestedParentOptions.MaxChildrenPerParent"/>.
    /// </summary>
    /// <param name="createFailure">The exception from <see cref="CreateAsync"/>.</param>
    /// <returns>False by default: the exception is a failure like any other.</returns>
    /// <remarks>
    /// Such a parent gets no new children until one of its children is gone. The child is created on another parent; if all are
    /// full, its creation waits for room, at most for the children's CreateTimeout. The refusal of a parent that has no other
    /// child is a failure like any other.
    /// </remarks>
    public virtual bool IsParentFull(Exception createFailure) => false;

    /// <inheritdoc cref="ResourcePolicy{T}.ValidateAsync"/>
    public virtual ValueTask<bool> ValidateAsync(TChild item, LeaseInfo info, CancellationToken cancellationToken) =>
        new(result: true);

    /// <inheritdoc cref="ResourcePolicy{T}.NeedsReset"/>
    public virtual bool NeedsReset(TChild item) => true;

    /// <inheritdoc cref="ResourcePolicy{T}.ResetAsync"/>
    public virtual ValueTask<bool> ResetAsync(TChild item, CancellationToken cancellationToken) => new(result: true);

    /// <inheritdoc cref="ResourcePolicy{T}.ProveCleanAsync"/>
    public virtual ValueTask<bool> ProveCleanAsync(TChild item, CancellationToken cancellationToken) => new(result: false);

    /// <inheritdoc cref="ResourcePolicy{T}.KeepAliveAsync"/>
    public virtual ValueTask KeepAliveAsync(TChild item, CancellationToken cancellationToken) => default;

    /// <summary>
    /// Destroys a child. Called exactly once for each child that the pool created and that was not detached, before its parent is
    /// destroyed.
    /// </summary>
    /// <inheritdoc cref="ResourcePolicy{T}.DestroyAsync"/>
    public virtual ValueTask DestroyAsync(TChild item, DestroyReason reason) => ItemDisposal.DisposeAsync(item);

    private static ResourceHooks Flag(System.Reflection.MethodInfo method, ResourceHooks hook) =>
        method.DeclaringType == typeof(NestedPolicy<TParent, TChild>) ? ResourceHooks.None : hook;
}
