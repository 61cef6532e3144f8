namespace Poolhouse.Testing.Tests.Contracts;

/// <summary>Adapts an <see cref="OwnPool"/> for the contract.</summary>
internal sealed class OwnContractPool(OwnPool pool) : ContractPool
{
    public override async ValueTask<Lease<ContractItem>> RentAsync(TimeSpan? timeout, CancellationToken cancellationToken) =>
        await pool.RentAsync(timeout, cancellationToken).ConfigureAwait(false);

    public override Lease<ContractItem> Rent(TimeSpan? timeout, CancellationToken cancellationToken) =>
        pool.RentAsync(timeout, cancellationToken).GetAwaiter().GetResult();

    public override bool TryRent(out Lease<ContractItem> lease) => pool.TryRent(out lease);

    public override ResourcePoolStatistics GetStatistics() => pool.GetStatistics();

    public override IReadOnlyList<LeaseSnapshot> GetLeases(int max) => throw new NotSupportedException();

    public override void Invalidate(Lease<ContractItem> lease) => pool.Invalidate(lease);

    public override Task WarmUpAsync(int count) => throw new NotSupportedException();

    public override void Resize(int maxSize) => pool.Resize(maxSize);

    public override void Clear() => pool.Clear();

    public override int Trim() => pool.Trim();

    public override void Suspend() => pool.Suspend();

    public override void Resume() => pool.Resume();

    public override Task DrainAsync() => pool.DrainAsync();

    public override ValueTask DisposeAsync() => new(pool.DisposeAsync());
}
