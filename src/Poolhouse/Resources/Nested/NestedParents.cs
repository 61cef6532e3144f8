using System.Runtime.ExceptionServices;
using Poolhouse.Resources.Shared;

namespace Poolhouse.Resources.Nested;

/// <summary>The parents of a nested pool: a shared pool in which each child is a use of an item.</summary>
internal sealed class NestedParents<TParent>
    where TParent : notnull
{
    private readonly ResourcePolicy<TParent> _policy;

    /// <param name="policy">How parents are created and destroyed.</param>
    /// <param name="options">The settings, frozen.</param>
    /// <param name="name">The name of the whole pool.</param>
    /// <param name="deactivated">Called when a parent was deactivated, after that has become visible to its children.</param>
    public NestedParents(ResourcePolicy<TParent> policy, NestedParentOptions options, string name, Action deactivated)
    {
        _policy = policy;
        Pool = new SharedResourcePool<TParent>(
            policy, options.ToShared(options.ParentPool.Name ?? name + "-parents"), deactivated);
    }

    public SharedResourcePool<TParent> Pool { get; }

    public int MaxSize => Pool.ItemSet.Settings.MaxSize;

    /// <summary>Rents a parent for a child; one is created if no parent has room for more children.</summary>
    public async ValueTask<Lease<TParent>> EnterAsync(CancellationToken cancellationToken)
    {
        try
        {
            return await Pool.RentAsync(Timeout.InfiniteTimeSpan, cancellationToken).ConfigureAwait(false);
        }
        catch (PoolUnavailableException refusal)
            when (refusal.InnerException is { } failure && string.Equals(refusal.PoolName, Pool.Name, StringComparison.Ordinal))
        {
            // The creation of a parent has just failed. The children's pool decides when the creation is retried.
            ExceptionDispatchInfo.Throw(failure);
            throw;
        }
    }

    /// <summary>
    /// Whether a parent is inactive or broken, so that its children are broken too; deactivates it if its policy reports it as
    /// broken.
    /// </summary>
    public bool IsUnusable(SharedItem<TParent> parent) => Pool.ItemSet.DeactivateIfBroken(parent);

    /// <summary>
    /// Called after a parent refused a child because it is full: if a child ended on it meanwhile, it has room again.
    /// </summary>
    /// <param name="parent">The parent.</param>
    /// <param name="endsBefore">The number of children that had ended on it when the attempt began.</param>
    // An end is counted before its use ends. So an end that is not seen here ends its use later, and then permits new children
    // itself.
    public void RecheckFull(SharedItem<TParent> parent, int endsBefore)
    {
        if (parent.Ends != endsBefore && parent.ClearFull())
        {
            Pool.ItemSet.Room.Offer();
        }
    }

    /// <summary>Deactivates a parent, now or at a random moment within a time.</summary>
    public void Deactivate(SharedItem<TParent> parent, TimeSpan spread)
    {
        if (spread == TimeSpan.Zero)
        {
            Pool.ItemSet.Deactivate(parent, DestroyReason.Broken);
        }
        else
        {
            Pool.ItemSet.DeactivateWithin(parent, spread);
        }
    }

    /// <summary>Applies settings that were validated. The caller then calls <see cref="EndChange"/>.</summary>
    public void Reconfigure(NestedParentOptions options) => Pool.ApplyValidated(options.ToShared(Pool.Name));

    /// <inheritdoc cref="SharedItemSet{T}.EndChange"/>
    public void EndChange() => Pool.ItemSet.EndChange();

    public bool IsPermanent(Exception failure) => _policy.IsPermanent(failure);

    public bool LacksRoom(Exception failure) => _policy.LacksRoom(failure);
}
