using System.Runtime.ExceptionServices;
using Poolhouse.Resources.Shared;

namespace Poolhouse.Resources.Nested;

/// <summary>The parents of a nested pool: a shared pool, of whose items each child is a use.</summary>
internal sealed class NestedParents<TParent>
    where TParent : notnull
{
    private readonly ResourcePolicy<TParent> _policy;

    /// <param name="policy">How parents are made and destroyed.</param>
    /// <param name="options">The settings, frozen.</param>
    /// <param name="name">The name of the whole pool.</param>
    /// <param name="retired">Hears that a parent was retired, which its children can see by then.</param>
    public NestedParents(ResourcePolicy<TParent> policy, NestedParentOptions options, string name, Action retired)
    {
        _policy = policy;
        MaxSize = options.Parents.MaxSize;
        Pool = new SharedResourcePool<TParent>(policy, options.ToShared(options.Parents.Name ?? name + "-parents"), retired);
    }

    public SharedResourcePool<TParent> Pool { get; }

    public int MaxSize { get; }

    /// <summary>Finds a parent for a child, and has one made where there is room for no more children.</summary>
    public async ValueTask<Lease<TParent>> EnterAsync(CancellationToken cancellationToken)
    {
        try
        {
            return await Pool.RentAsync(Timeout.InfiniteTimeSpan, cancellationToken).ConfigureAwait(false);
        }
        catch (PoolUnavailableException refusal)
            when (refusal.InnerException is { } failure && string.Equals(refusal.PoolName, Pool.Name, StringComparison.Ordinal))
        {
            // The creation of a parent failed this moment. Who tries again, and when, is for the children's pool to say.
            ExceptionDispatchInfo.Throw(failure);
            throw;
        }
    }

    /// <summary>Whether a parent takes no new children, and has none that can be used; asks its policy if it must.</summary>
    public bool IsLost(SharedItem<TParent> parent) => parent.IsRetired || Pool.Roster.RetireIfBroken(parent);

    public void Lose(SharedItem<TParent> parent) => Pool.Roster.Retire(parent, DestroyReason.Broken);

    public bool IsPermanent(Exception failure) => _policy.IsPermanent(failure);
}
