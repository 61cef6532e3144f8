using Poolhouse.Resources.Engine;
using Poolhouse.Resources.Engine.Core;

namespace Poolhouse.Resources.Nested;

/// <summary>The two levels of a nested pool, keyed or not, and the operations that concern both.</summary>
// Invariant: two changes of the settings reach the parents and the children in the same order.
// Locks: _changing is held while a change is applied to both levels. No user code runs under it: surplus parents are deactivated
// afterwards.
internal sealed class NestedLevels<TParent, TChild>
    where TParent : notnull
    where TChild : notnull
{
    private readonly Lock _changing = new();
    private ReporterRegistration? _registration;
    private IInnerPool? _children;

    /// <param name="name">The name of the pool.</param>
    /// <param name="parents">How parents are created and destroyed.</param>
    /// <param name="options">The settings of the parents, frozen.</param>
    public NestedLevels(string name, ResourcePolicy<TParent> parents, NestedParentOptions options)
    {
        Owner = new NestedChildOwner<TParent, TChild>(name, DestroyBrokenChildren);
        Parents = new SharedResourcePool<TParent>(
            parents, options.ToShared(options.ParentPool.Name ?? name + "-parents"), DestroyBrokenChildren);
    }

    /// <summary>The pool of the parents, in which each child is a use of an item.</summary>
    public SharedResourcePool<TParent> Parents { get; }

    /// <summary>The owner of the leases.</summary>
    public NestedChildOwner<TParent, TChild> Owner { get; }

    private IInnerPool Children => _children!;

    /// <summary>Adds the pool of children, whose policy needs the parents.</summary>
    /// <param name="children">The pool of children.</param>
    /// <param name="reportedAs">The pool as seen by its users.</param>
    /// <param name="reporter">What it is reported to.</param>
    public void Begin(IInnerPool children, IPool reportedAs, PoolReporter reporter)
    {
        _children = children;
        _registration = new ReporterRegistration(reporter, reportedAs);
    }

    public NestedChildPolicy<TParent, TChild> PolicyOf(NestedPolicy<TParent, TChild> children, ResourceHooks hooks) =>
        new(Parents, children, hooks, Owner);

    /// <summary>Replaces the settings of both levels.</summary>
    /// <param name="current">The settings.</param>
    /// <param name="change">Returns the new settings, or throws if they are invalid or cannot be changed.</param>
    /// <param name="applyToChildren">Applies them to the children.</param>
    // Parents that grow have room before more children are created; those that shrink keep the children that they have.
    public void Change<TOptions>(ref TOptions current, Func<TOptions, TOptions> change, Action<TOptions> applyToChildren)
        where TOptions : NestedParentOptions
    {
        ThrowIfClosed();
        lock (_changing)
        {
            current = change(current);
            Parents.ApplyValidated(current.ToShared(Parents.Name));
            applyToChildren(current);
        }

        Parents.ItemSet.EndChange();
    }

    /// <summary>Deactivates the parent of a leased child, now or at a random moment within a time.</summary>
    public void Invalidate(Lease<TChild> lease, TimeSpan spread)
    {
        Spread.ThrowIfOutOfRange(spread);
        RentErrors.ThrowIfForeign(lease, Owner);

        // A child stays on one parent for its whole life, so if the lease ends at this moment, it was still that parent.
        if (!lease.IsActive || ((NestedChild<TParent, TChild>)lease.Slot!).Parent is not { } parent)
        {
            return;
        }

        lease.Taint();
        if (spread == TimeSpan.Zero)
        {
            Parents.ItemSet.Deactivate(parent, DestroyReason.Broken);
        }
        else
        {
            Parents.ItemSet.DeactivateWithin(parent, spread);
        }
    }

    /// <summary>Creates parents ahead of demand.</summary>
    // The parents' pool stays open until the last child of a draining pool has ended.
    public async Task WarmUpParentsAsync(int count, CancellationToken cancellationToken)
    {
        ThrowIfClosed();
        await Parents.WarmUpAsync(count, cancellationToken).ConfigureAwait(false);
    }

    public void Clear(TimeSpan spread)
    {
        Children.Clear(spread);
        Parents.Clear(spread);
    }

    public int Trim()
    {
        var trimmed = Children.Trim();
        Parents.Trim();
        return trimmed;
    }

    public async Task DrainAsync()
    {
        await Children.DrainAsync(CancellationToken.None).ConfigureAwait(false);
        await Parents.DrainAsync(CancellationToken.None).ConfigureAwait(false);
        _registration?.End();
    }

    public void Close()
    {
        Children.Dispose();
        Parents.Dispose();
        _registration?.End();
    }

    public async ValueTask CloseAsync()
    {
        Close();

        // The children first: the wait then includes the parents that only they kept alive.
        await Children.DisposeAsync().ConfigureAwait(false);
        await Parents.DisposeAsync().ConfigureAwait(false);
    }

    private void ThrowIfClosed()
    {
        if (!Children.IsOpen)
        {
            throw RentErrors.Closed(Owner.Name);
        }
    }

    // Parents may be deactivated before the pool of children exists: then no child depends on them.
    private void DestroyBrokenChildren() => _children?.DestroyBrokenByParent();
}
