using Poolhouse.Testing;

namespace Poolhouse.Contracts;

/// <summary>
/// A shared pool whose items take one use at a time, so that a use is equivalent to a lease and the contract applies.
/// </summary>
internal sealed class SharedContractPool(ResourcePolicy<ContractItem> policy, ResourcePoolOptions options) : ContractPool
{
    private readonly SharedResourcePool<ContractItem> _pool = new(
        policy, new SharedResourcePoolOptions { Pool = options, MaxUsesPerItem = 1, GrowAtLoad = 1 });

    public override ValueTask<Lease<ContractItem>> RentAsync(TimeSpan? timeout, CancellationToken cancellationToken) =>
        timeout is { } time ? _pool.RentAsync(time, cancellationToken) : _pool.RentAsync(cancellationToken);

    public override Lease<ContractItem> Rent(TimeSpan? timeout, CancellationToken cancellationToken) =>
        timeout is { } time ? _pool.Rent(time, cancellationToken) : _pool.Rent(cancellationToken);

    public override bool TryRent(out Lease<ContractItem> lease) => _pool.TryRent(out lease);

    // Uses and items are counted apart, and in the counters of the items each item in service is leased, also during a
    // keep-alive: the contract has to know that, or it would let time pass until the keep-alive is abandoned.
    public override ResourcePoolStatistics GetStatistics()
    {
        var (uses, items) = (_pool.GetStatistics(), _pool.GetItemStatistics());
        return new ResourcePoolStatistics
        {
            MaxSize = items.MaxSize,
            Live = items.Live,
            PeakLive = items.PeakLive,
            Creating = items.Creating,
            Resetting = items.Resetting,
            Destroying = items.Destroying,
            Created = items.Created,
            CreateFailures = items.CreateFailures,
            Destroyed = items.Destroyed,
            DestroyFailures = items.DestroyFailures,
            Surplus = items.Surplus,
            Refused = items.Refused,
            Trimmed = items.Trimmed,
            Discarded = items.Discarded,
            Detached = items.Detached,
            Abandoned = items.Abandoned,
            CreateTime = items.CreateTime,
            DestroyedByReason = [.. Enum.GetValues<DestroyReason>().Select(items.DestroyedFor)],
            WaitTime = uses.WaitTime,
            UseTime = uses.UseTime,
            OldestLease = uses.OldestLease,
            OldestWait = uses.OldestWait,
            Outage = items.Outage,
            Suspended = items.Suspended,
            Leased = uses.Leased,
            Idle = (int)(items.Live - items.Creating - items.Destroying - uses.Leased),
            Validating = _pool.ItemSet.Probing,
            Rented = uses.Rented,
            Hits = uses.Hits,
            Waits = uses.Waits,
            Returned = uses.Returned,
            DoubleReturns = uses.DoubleReturns,
            Waiting = uses.Waiting,
            Timeouts = uses.Timeouts,
            Cancellations = uses.Cancellations,
            Shed = uses.Shed,
            SuspectedLeaks = uses.SuspectedLeaks,
        };
    }

    public override IReadOnlyList<LeaseSnapshot> GetLeases(int max) => _pool.GetLeases(max);

    public override void Invalidate(Lease<ContractItem> lease) => throw new NotSupportedException();

    public override Task WarmUpAsync(int count) => _pool.WarmUpAsync(count);

    public override void Resize(int maxSize)
    {
        if (maxSize != GetStatistics().MaxSize)
        {
            throw new NotSupportedException();
        }
    }

    public override void Clear() => _pool.Clear();

    public override int Trim() => _pool.Trim();

    public override void Suspend() => _pool.Suspend();

    public override void Resume() => _pool.Resume();

    public override Task DrainAsync() => _pool.DrainAsync();

    public override ValueTask DisposeAsync() => _pool.DisposeAsync();
}
