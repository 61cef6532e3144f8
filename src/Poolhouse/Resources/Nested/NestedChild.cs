using Poolhouse.Resources.Shared;

namespace Poolhouse.Resources.Nested;

/// <summary>
/// A child of a nested pool: an item of its engine, which counts as a use of its parent as long as it is alive.
/// </summary>
// There are two leases: that of the engine, which only this class knows, and that of the child, which the caller holds.
// Invariants
//   the use of the parent ends once: when the child is destroyed, was detached, or its creation was abandoned. So a parent's uses
//   are the children that are alive or being created, and it is destroyed after the last of them
//   _engineLease is written by the thread that took the child out of the engine, and ended by the thread that ended the caller's
//   lease
internal sealed class NestedChild<TParent, TChild>(ILeaseOwner<TChild> owner)
    : LeaseSlot<TChild>(default!, owner, createdAt: 0)
    where TParent : notnull
    where TChild : notnull
{
    private Lease<TParent> _use;
    private Lease<NestedChild<TParent, TChild>> _engineLease;
    private int _isUseEnded;

    /// <summary>The parent; null once the child is gone.</summary>
    public SharedItem<TParent>? Parent { get; private set; }

    public Lease<NestedChild<TParent, TChild>> EngineLease => _engineLease;

    /// <summary>Makes the child a use of a parent. Called once.</summary>
    public void BeginUse(Lease<TParent> use)
    {
        _use = use;
        Parent = ((SharedUse<TParent>)use.Slot!).SharedItem;
    }

    public void Fill(TChild item) => Item = item;

    public Lease<TChild> Begin(Lease<NestedChild<TParent, TChild>> engineLease)
    {
        _engineLease = engineLease;
        return BeginLease();
    }

    /// <summary>Ends the use of the parent; repeated calls have no effect.</summary>
    /// <param name="suspect">Whether to probe the parent, because it may be the cause of a failure.</param>
    public void EndUse(bool suspect)
    {
        if (Interlocked.Exchange(ref _isUseEnded, 1) == 0)
        {
            EndUseOnce(suspect);
        }
    }

    /// <summary>Ends the use of the parent, because the creation on it takes too long.</summary>
    public void Abandon() => EndUse(suspect: true);

    /// <summary>Ends the use of a parent that refused the child because it is full.</summary>
    /// <param name="parents">The pool of the parents.</param>
    /// <param name="endsBefore">The number of children that had ended on the parent when the attempt began.</param>
    /// <returns>
    /// Whether the parent is full, or was when it refused the child. A parent whose only use this was has no other child:
    /// unless one has ended meanwhile, it was not full, and the use has ended with a probe of the parent.
    /// </returns>
    public bool TryEndUseAsFull(SharedResourcePool<TParent> parents, int endsBefore)
    {
        if (Interlocked.Exchange(ref _isUseEnded, 1) != 0)
        {
            return false;
        }

        if (!parents.TryEndAsFull(_use))
        {
            var wasFull = Parent!.Ends != endsBefore;
            EndUseOnce(suspect: !wasFull);
            return wasFull;
        }

        _use = default;
        return true;
    }

    /// <summary>Takes the child for its destruction, which happens once; it is not available afterwards.</summary>
    public TChild Take()
    {
        var item = Item;
        Item = default!;
        return item;
    }

    /// <summary>
    /// Called after the engine has released the slot, possibly before the child is destroyed: the parent may be destroyed.
    /// </summary>
    public void ForgetParent() => Parent = null;

    private void EndUseOnce(bool suspect)
    {
        if (suspect)
        {
            _use.Taint();
        }

        // Before the use ends: see NestedChildPolicy.RecheckFull.
        ((SharedUse<TParent>)_use.Slot!).SharedItem!.CountEnd();
        _use.Dispose();
        _use = default;
    }

    /// <summary>
    /// Called after the end: a lease that the caller still references keeps neither the child nor its parent alive (I26).
    /// </summary>
    public void Forget()
    {
        Item = default!;
        Parent = null;
    }
}
