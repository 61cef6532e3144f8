using Poolhouse.Extensions.Configuration;

namespace Poolhouse.Extensions.Kinds;

internal sealed class ObjectPoolKind<T>(Func<IServiceProvider, ObjectPoolOptions, TieredObjectPool<T>> create)
    : PoolKind<TieredObjectPool<T>, ObjectPoolOptions>
    where T : class
{
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

    // One item at a time, so that the end of the warm-up's time also ends the creations.
    private static void Fill(TieredObjectPool<T> pool, int count, CancellationToken cancellationToken)
    {
        for (var created = 0; created < count; created++)
        {
            cancellationToken.ThrowIfCancellationRequested();
            if (pool.Prefill(1) == 0)
            {
                return;
            }
        }
    }
}
