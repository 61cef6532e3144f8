using Poolhouse.Extensions.Configuration;

namespace Poolhouse.Extensions.Kinds;

internal sealed class ObjectPoolKind<T>(Func<IServiceProvider, ObjectPoolOptions, TieredObjectPool<T>> create)
    : PoolKind<TieredObjectPool<T>, ObjectPoolOptions>
    where T : class
{
    private const int MaxBatch = 64;

    public override string Category => "Poolhouse.Objects";

    public override Type ItemType => typeof(T);

    public override SettingsMap<ObjectPoolOptions> Settings => CoreSettings.Objects;

    public override Type? ObserverType => null;

    public override bool CanDrain => false;

    public override string? ReloadRefusal => "The settings of an object pool are read when the app starts.";

    public override void Complete(ObjectPoolOptions options, PoolContext context) => context.Complete(options);

    public override TieredObjectPool<T> Create(IServiceProvider services, ObjectPoolOptions options) => create(services, options);

    public override int? GetMaxWarmUp(TieredObjectPool<T> pool, ObjectPoolOptions options) => options.MaxRetained;

    public override Task WarmUpAsync(TieredObjectPool<T> pool, int count, CancellationToken cancellationToken)
    {
        var filling = Task.Run(() => Fill(pool, count, cancellationToken), cancellationToken);

        // A creation that hangs is abandoned at the timeout. When it fails later, there is no waiter.
        _ = filling.ContinueWith(
            static late => late.Exception, CancellationToken.None, TaskContinuationOptions.OnlyOnFaulted, TaskScheduler.Default);
        return filling.WaitAsync(cancellationToken);
    }

    public override Task DrainAsync(TieredObjectPool<T> pool, CancellationToken cancellationToken) => Task.CompletedTask;

    // In batches, so that the end of the warm-up's time also ends the creations. Each one gathers the items of all threads: the
    // batches grow, so that this remains rare.
    private static void Fill(TieredObjectPool<T> pool, int count, CancellationToken cancellationToken)
    {
        for (var (left, batch) = (count, 1); left > 0; left -= batch, batch = Math.Min(2 * batch, MaxBatch))
        {
            cancellationToken.ThrowIfCancellationRequested();
            batch = Math.Min(batch, left);
            if (pool.Prefill(batch) < batch)
            {
                return;
            }
        }
    }
}
