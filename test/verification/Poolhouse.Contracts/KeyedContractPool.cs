using Poolhouse.Testing;

namespace Poolhouse.Contracts;

/// <summary>A keyed pool as seen by the callers of one key.</summary>
internal sealed class KeyedContractPool : ContractPool
{
    private const string Key = "key";

    private readonly KeyedResourcePool<string, ContractItem> _pool;

    public KeyedContractPool(ResourcePolicy<ContractItem> policy, ResourcePoolOptions options)
    {
        // Room for a check that makes the pool larger: the bound that matters here is that of the key.
        _pool = new KeyedResourcePool<string, ContractItem>(
            _ => policy,
            new KeyedResourcePoolOptions<string>
            {
                MaxSize = options.MaxSize * 8,
                Pool = options,
                KeyIdleTimeout = Timeout.InfiniteTimeSpan,
            });
        _ = _pool.WarmUpAsync(Key, count: 0);
    }

    private ResourcePool<ContractItem> OfKey => _pool.Find(Key) ?? throw new InvalidOperationException("The key was forgotten.");

    public override ValueTask<Lease<ContractItem>> RentAsync(TimeSpan? timeout, CancellationToken cancellationToken) =>
        timeout is { } time ? _pool.RentAsync(Key, time, cancellationToken) : _pool.RentAsync(Key, cancellationToken);

    public override Lease<ContractItem> Rent(TimeSpan? timeout, CancellationToken cancellationToken) =>
        timeout is { } time ? _pool.Rent(Key, time, cancellationToken) : _pool.Rent(Key, cancellationToken);

    public override bool TryRent(out Lease<ContractItem> lease) => _pool.TryRent(Key, out lease);

    public override ResourcePoolStatistics GetStatistics() => OfKey.GetStatistics();

    public override IReadOnlyList<LeaseSnapshot> GetLeases(int max) => _pool.GetLeases(max);

    public override void Invalidate(Lease<ContractItem> lease) => _pool.Invalidate(lease);

    public override Task WarmUpAsync(int count) => _pool.WarmUpAsync(Key, count);

    public override void Resize(int maxSize) => OfKey.Resize(maxSize);

    public override void Clear() => _pool.Clear();

    public override int Trim() => _pool.Trim();

    public override void Suspend() => OfKey.Suspend();

    public override void Resume() => OfKey.Resume();

    public override Task DrainAsync() => _pool.DrainAsync();

    public override ValueTask DisposeAsync() => _pool.DisposeAsync();
}
