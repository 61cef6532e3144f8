namespace Poolhouse.Testing.Contracts.Internal;

/// <summary>A resource pool under the contract.</summary>
internal sealed class PlainContractPool(ResourcePool<ContractItem> pool) : ContractPool
{
    public override ValueTask<Lease<ContractItem>> RentAsync(TimeSpan? timeout, CancellationToken cancellationToken) =>
        timeout is { } time ? pool.RentAsync(time, cancellationToken) : pool.RentAsync(cancellationToken);

    public override Lease<ContractItem> Rent(TimeSpan? timeout, CancellationToken cancellationToken) =>
        timeout is { } time ? pool.Rent(time, cancellationToken) : pool.Rent(cancellationToken);

    public override bool TryRent(out Lease<ContractItem> lease) => pool.TryRent(out lease);

    public override ResourcePoolStatistics GetStatistics() => pool.GetStatistics();

    public override IReadOnlyList<LeaseSnapshot> GetLeases(int max) => pool.GetLeases(max);

    public override void Invalidate(Lease<ContractItem> lease) => pool.Invalidate(lease);

    public override Task WarmUpAsync(int count) => pool.WarmUpAsync(count);

    public override void Resize(int maxSize) => pool.Resize(maxSize);

    public override void Clear() => pool.Clear();

    public override int Trim() => pool.Trim();

    public override void Suspend() => pool.Suspend();

    public override void Resume() => pool.Resume();

    public override Task DrainAsync() => pool.DrainAsync();

    public override ValueTask DisposeAsync() => pool.DisposeAsync();
}
