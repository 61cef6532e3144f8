using Poolhouse.Resources.Engine;
using Poolhouse.Resources.Nested;
using Poolhouse.Testing;

namespace Poolhouse.Contracts;

/// <summary>A nested pool as seen by the callers of its children. Its parents are plain, and there are enough of them.</summary>
internal sealed class NestedContractPool : ContractPool
{
    private const int PerParent = 4;

    private readonly NestedResourcePool<Parent, ContractItem> _pool;

    public NestedContractPool(ResourcePolicy<ContractItem> policy, ResourcePoolOptions options)
    {
        // Room for a check that makes the pool larger: the bound that matters here is that of the children.
        // No parent expires: its children would be destroyed with it, which the contract of the children does not expect.
        var parents = new ResourcePoolOptions
        {
            MaxSize = options.MaxSize * 8,
            MaxLifetime = Timeout.InfiniteTimeSpan,
            TimeProvider = options.TimeProvider,
        };
        _pool = new NestedResourcePool<Parent, ContractItem>(
            new Parents(),
            new Children(policy),
            new NestedResourcePoolOptions { ParentPool = parents, ChildPool = options, MaxChildrenPerParent = PerParent });
    }

    public override ValueTask<Lease<ContractItem>> RentAsync(TimeSpan? timeout, CancellationToken cancellationToken) =>
        timeout is { } time ? _pool.RentAsync(time, cancellationToken) : _pool.RentAsync(cancellationToken);

    public override Lease<ContractItem> Rent(TimeSpan? timeout, CancellationToken cancellationToken) =>
        timeout is { } time ? _pool.Rent(time, cancellationToken) : _pool.Rent(cancellationToken);

    public override bool TryRent(out Lease<ContractItem> lease) => _pool.TryRent(out lease);

    public override ResourcePoolStatistics GetStatistics() => _pool.GetStatistics();

    public override IReadOnlyList<LeaseSnapshot> GetLeases(int max) => _pool.GetLeases(max);

    // For the engine, a fatal error affects all items that are as old; for a nested pool, those on the same parent.
    public override void Invalidate(Lease<ContractItem> lease)
    {
        if (lease.IsActive)
        {
            _pool.Children.Invalidate(((NestedChild<Parent, ContractItem>)lease.Slot!).EngineLease);
        }
    }

    public override Task WarmUpAsync(int count) => _pool.WarmUpAsync(count);

    public override void Resize(int maxSize) => _pool.Children.Resize(maxSize);

    public override void Clear() => _pool.Clear();

    public override int Trim() => _pool.Trim();

    public override void Suspend() => _pool.Children.Suspend();

    public override void Resume() => _pool.Children.Resume();

    public override Task DrainAsync() => _pool.DrainAsync();

    public override ValueTask DisposeAsync() => _pool.DisposeAsync();

    private sealed class Parent;

    private sealed class Parents : ResourcePolicy<Parent>
    {
        public override ValueTask<Parent> CreateAsync(CancellationToken cancellationToken) => new(new Parent());
    }

    /// <summary>The policy of the contract, which has no parents.</summary>
    private sealed class Children(ResourcePolicy<ContractItem> policy) : NestedPolicy<Parent, ContractItem>
    {
        public override ResourceHooks Hooks => policy.Hooks & ~ResourceHooks.Create;

        public override ValueTask<ContractItem> CreateAsync(Parent parent, CancellationToken cancellationToken) =>
            policy.CreateAsync(cancellationToken);

        public override bool IsBroken(ContractItem item) => policy.IsBroken(item);

        public override bool IsPermanent(Exception createFailure) => policy.IsPermanent(createFailure);

        public override ValueTask<bool> ValidateAsync(ContractItem item, LeaseInfo info, CancellationToken cancellationToken) =>
            policy.ValidateAsync(item, info, cancellationToken);

        public override bool NeedsReset(ContractItem item) => policy.NeedsReset(item);

        public override ValueTask<bool> ResetAsync(ContractItem item, CancellationToken cancellationToken) =>
            policy.ResetAsync(item, cancellationToken);

        public override ValueTask<bool> ProveCleanAsync(ContractItem item, CancellationToken cancellationToken) =>
            policy.ProveCleanAsync(item, cancellationToken);

        public override ValueTask KeepAliveAsync(ContractItem item, CancellationToken cancellationToken) =>
            policy.KeepAliveAsync(item, cancellationToken);

        public override ValueTask DestroyAsync(ContractItem item, DestroyReason reason) => policy.DestroyAsync(item, reason);
    }
}
