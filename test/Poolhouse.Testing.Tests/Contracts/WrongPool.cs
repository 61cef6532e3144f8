
namespace Poolhouse.Testing.Tests.Contracts;

/// <summary>A wrapper that delegates every member except those that it replaces.</summary>
internal sealed class WrongPool(ContractPool inner) : ContractPool
{
    public Func<TimeSpan?, CancellationToken, ValueTask<Lease<ContractItem>>>? OnRentAsync { get; init; }

    public Func<TimeSpan?, CancellationToken, Lease<ContractItem>>? OnRent { get; init; }

    /// <summary>Whether <see cref="TryRent"/> ignores idle items.</summary>
    public bool NeverTries { get; init; }

    public Func<Lease<ContractItem>, Lease<ContractItem>>? OnRented { get; init; }

    public Func<ResourcePoolStatistics>? OnGetStatistics { get; init; }

    public Func<int, IReadOnlyList<LeaseSnapshot>>? OnGetLeases { get; init; }

    public Action<Lease<ContractItem>>? OnInvalidate { get; init; }

    public Func<int, Task>? OnWarmUp { get; init; }

    public Action<int>? OnResize { get; init; }

    public Action? OnClear { get; init; }

    public Func<int>? OnTrim { get; init; }

    public Action? OnSuspend { get; init; }

    public Action? OnResume { get; init; }

    public Func<Task>? OnDrain { get; init; }

    public Func<ValueTask>? OnDispose { get; init; }

    public override async ValueTask<Lease<ContractItem>> RentAsync(TimeSpan? timeout, CancellationToken cancellationToken)
    {
        var lease = await (OnRentAsync?.Invoke(timeout, cancellationToken) ?? inner.RentAsync(timeout, cancellationToken));
        return OnRented?.Invoke(lease) ?? lease;
    }

    public override Lease<ContractItem> Rent(TimeSpan? timeout, CancellationToken cancellationToken) =>
        (OnRent ?? inner.Rent)(timeout, cancellationToken);

    public override bool TryRent(out Lease<ContractItem> lease)
    {
        lease = default;
        return !NeverTries && inner.TryRent(out lease);
    }

    public override ResourcePoolStatistics GetStatistics() => (OnGetStatistics ?? inner.GetStatistics)();

    public override IReadOnlyList<LeaseSnapshot> GetLeases(int max) => (OnGetLeases ?? inner.GetLeases)(max);

    public override void Invalidate(Lease<ContractItem> lease) => (OnInvalidate ?? inner.Invalidate)(lease);

    public override Task WarmUpAsync(int count) => (OnWarmUp ?? inner.WarmUpAsync)(count);

    public override void Resize(int maxSize) => (OnResize ?? inner.Resize)(maxSize);

    public override void Clear() => (OnClear ?? inner.Clear)();

    public override int Trim() => (OnTrim ?? inner.Trim)();

    public override void Suspend() => (OnSuspend ?? inner.Suspend)();

    public override void Resume() => (OnResume ?? inner.Resume)();

    public override Task DrainAsync() => (OnDrain ?? inner.DrainAsync)();

    public override ValueTask DisposeAsync() => (OnDispose ?? inner.DisposeAsync)();
}
