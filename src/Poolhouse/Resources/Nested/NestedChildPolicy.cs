using System.Runtime.ExceptionServices;
using Poolhouse.Resources.Engine;
using Poolhouse.Resources.Engine.PolicyCalls;
using Poolhouse.Resources.Shared;

namespace Poolhouse.Resources.Nested;

/// <summary>Creates each child on a parent, and ends the parent's use when the child is gone.</summary>
internal sealed class NestedChildPolicy<TParent, TChild>(
    SharedResourcePool<TParent> parents,
    NestedPolicy<TParent, TChild> policy,
    ResourceHooks hooks,
    ILeaseOwner<TChild> owner) : ResourcePolicy<NestedChild<TParent, TChild>>
    where TParent : notnull
    where TChild : notnull
{
    private readonly bool _callsIsBroken = hooks.HasFlag(ResourceHooks.IsBroken);

    public override ResourceHooks Hooks => hooks | ResourceHooks.IsBroken | InternalHooks.IsBrokenByParent;

    public override ValueTask<NestedChild<TParent, TChild>> CreateAsync(CancellationToken cancellationToken) =>
        CreateTrackedAsync(new ResourceCreation(), cancellationToken);

    /// <summary>Tries parents until the creation succeeds on one.</summary>
    internal override async ValueTask<NestedChild<TParent, TChild>> CreateTrackedAsync(
        ResourceCreation creation, CancellationToken cancellationToken)
    {
        for (var tries = 1; ; tries++)
        {
            // Before it uses a parent: without the child, nothing would end that use.
            var child = new NestedChild<TParent, TChild>(owner);
            child.BeginUse(await EnterParentAsync(cancellationToken).ConfigureAwait(false));
            var parent = child.Parent!;
            var endsBefore = parent.Ends;
            try
            {
                creation.Hold(child.Abandon);
                child.Fill(await policy.CreateAsync(parent.Value, cancellationToken).ConfigureAwait(false));
            }
            catch (Exception failure)
            {
                var isUnusable = IsUnusable(parent);
                if (!isUnusable && IsParentFull(failure) && !cancellationToken.IsCancellationRequested
                    && child.TryEndUseAsFull(parents, endsBefore))
                {
                    // Not counted as a try: each further one on this parent takes the end of another child, and otherwise the
                    // creation waits.
                    tries--;
                    creation.Obstacle = failure;
                    RecheckFull(parent, endsBefore);
                    continue;
                }

                // The parent may have been deactivated meanwhile.
                isUnusable |= parent.IsInactive;
                child.EndUse(suspect: !isUnusable);
                if (!isUnusable || tries > parents.ItemSet.Settings.MaxSize || cancellationToken.IsCancellationRequested)
                {
                    throw;
                }

                // Not caused by the child: waiting callers need not get this failure while another parent may be available.
                continue;
            }

            if (child.Item is null)
            {
                // The engine throws the exception for this case.
                child.EndUse(suspect: false);
                return null!;
            }

            return child;
        }
    }

    /// <summary>Rents a parent for a child; one is created if no parent has room for more children.</summary>
    private async ValueTask<Lease<TParent>> EnterParentAsync(CancellationToken cancellationToken)
    {
        try
        {
            return await parents.RentAsync(Timeout.InfiniteTimeSpan, cancellationToken).ConfigureAwait(false);
        }
        catch (PoolUnavailableException refusal) when (
            refusal.InnerException is { } failure && string.Equals(refusal.PoolName, parents.Name, StringComparison.Ordinal))
        {
            // The creation of a parent has just failed. The children's pool decides when the creation is retried.
            ExceptionDispatchInfo.Throw(failure);
            throw;
        }
    }

    /// <summary>
    /// Called after a parent refused a child because it is full: if a child ended on it meanwhile, it has room again.
    /// </summary>
    // An end is counted before its use ends. So an end that is not seen here ends its use later, and then permits new children
    // itself.
    private void RecheckFull(SharedItem<TParent> parent, int endsBefore)
    {
        if (parent.Ends != endsBefore && parent.ClearFull())
        {
            parents.ItemSet.Room.Offer();
        }
    }

    /// <summary>
    /// Whether a parent is inactive or broken, so that its children are broken too; deactivates it if its policy reports it as
    /// broken.
    /// </summary>
    private bool IsUnusable(SharedItem<TParent> parent) => parents.ItemSet.DeactivateIfBroken(parent);

    private bool IsParentFull(Exception failure) =>
        UserCode.CallHook(policy, failure, static (policy, failure) => policy.IsParentFull(failure), ifItThrows: false);

    public override bool IsBroken(NestedChild<TParent, TChild> item) =>
        IsUnusable(item.Parent!) || (_callsIsBroken && policy.IsBroken(item.Item));

    public override bool IsBrokenAfterIdle(NestedChild<TParent, TChild> item) => policy.IsBrokenAfterIdle(item.Item);

    public override bool IsExpired(NestedChild<TParent, TChild> item) => item.Item is { } child && policy.IsExpired(child);

    public override bool IsPermanent(Exception createFailure) =>
        parents.Policy.IsPermanent(createFailure) || policy.IsPermanent(createFailure);

    protected internal override bool LacksRoom(Exception createFailure) =>
        parents.Policy.LacksRoom(createFailure);

    // A hook that was abandoned at the moment of its call may find that the child has been destroyed: then it is not called
    // (I30).
    public override ValueTask<bool> ValidateAsync(
        NestedChild<TParent, TChild> item, LeaseInfo info, CancellationToken cancellationToken) =>
        item.Item is { } child ? policy.ValidateAsync(child, info, cancellationToken) : default;

    public override bool NeedsReset(NestedChild<TParent, TChild> item) => policy.NeedsReset(item.Item);

    public override ValueTask<bool> ResetAsync(NestedChild<TParent, TChild> item, CancellationToken cancellationToken) =>
        item.Item is { } child ? policy.ResetAsync(child, cancellationToken) : default;

    public override ValueTask<bool> ProveCleanAsync(NestedChild<TParent, TChild> item, CancellationToken cancellationToken) =>
        item.Item is { } child ? policy.ProveCleanAsync(child, cancellationToken) : default;

    public override ValueTask KeepAliveAsync(NestedChild<TParent, TChild> item, CancellationToken cancellationToken) =>
        item.Item is { } child ? policy.KeepAliveAsync(child, cancellationToken) : default;

    public override ValueTask DestroyAsync(NestedChild<TParent, TChild> item, DestroyReason reason) =>
        policy.DestroyAsync(item.Take(), reason);

    internal override bool IsBrokenByParent(NestedChild<TParent, TChild> item) => item.Parent!.IsInactive;

    internal override void OnReleasing(NestedChild<TParent, TChild> item)
    {
        item.EndUse(suspect: false);

        // The child is kept: if its destruction was abandoned before it began, the hook is still called.
        item.ForgetParent();
    }
}
