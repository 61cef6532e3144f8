namespace Poolhouse.Tool.Bench.Resources.Trials;

/// <summary>Poolhouse, with the default settings except those that the scenario sets.</summary>
internal sealed class PoolhouseTrialPool(Backend backend, PoolSettings settings, TimeProvider time) : TrialPool
{
    private readonly ResourcePool<Session> _pool = new(
        ResourcePolicy.Create(backend.OpenAsync, isBroken: session => session.IsBroken),
        new ResourcePoolOptions
        {
            MaxSize = settings.MaxSize,
            MinIdle = settings.MinIdle,
            MaxLifetime = settings.MaxLifetime,
            LifetimeJitter = settings.LifetimeJitter,
            RetryDelay = settings.MaxRetryDelay < TimeSpan.FromMilliseconds(100)
                ? settings.MaxRetryDelay
                : TimeSpan.FromMilliseconds(100),
            MaxRetryDelay = settings.MaxRetryDelay,
            TimeProvider = time,
        });

    public override async Task UseAsync(Func<Session, Task> use, TimeSpan patience, CancellationToken cancellation)
    {
        using var lease = await _pool.RentAsync(patience, cancellation).ConfigureAwait(false);
        await use(lease.Value).ConfigureAwait(false);
    }

    public override Task FillAsync(int count, CancellationToken cancellation) => _pool.WarmUpAsync(count, cancellation);

    public override ValueTask DisposeAsync() => _pool.DisposeAsync();
}
