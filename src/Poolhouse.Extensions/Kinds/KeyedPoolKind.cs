using Poolhouse.Extensions.Configuration;

namespace Poolhouse.Extensions.Kinds;

internal sealed class KeyedPoolKind<TKey, T>(
    Func<IServiceProvider, KeyedResourcePoolOptions<TKey>, KeyedResourcePool<TKey, T>> create)
    : PoolKind<KeyedResourcePool<TKey, T>, KeyedResourcePoolOptions<TKey>>
    where TKey : notnull
    where T : notnull
{
    public override Type ItemType => typeof(T);

    public override SettingsMap<KeyedResourcePoolOptions<TKey>> Settings { get; } = CoreSettings.Keyed<TKey>();

    public override bool CanWarmUp => false;

    public override void Initialize(KeyedResourcePoolOptions<TKey> options) => options.Pool ??= CoreSettings.Unset();

    public override void Complete(KeyedResourcePoolOptions<TKey> options, PoolContext context) =>
        context.Complete(options.Pool);

    public override KeyedResourcePool<TKey, T> Create(IServiceProvider services, KeyedResourcePoolOptions<TKey> options) =>
        create(services, options);

    public override Task WarmUpAsync(KeyedResourcePool<TKey, T> pool, int count, CancellationToken cancellationToken) =>
        Task.CompletedTask;

    public override Task DrainAsync(KeyedResourcePool<TKey, T> pool, CancellationToken cancellationToken) =>
        pool.DrainAsync(cancellationToken);

    public override void KeepCallbacks(KeyedResourcePoolOptions<TKey> options, KeyedResourcePoolOptions<TKey> current)
    {
        options.KeyComparer = current.KeyComparer;
        PoolContext.Keep(options.Pool, current.Pool);
    }

    public override void Reconfigure(KeyedResourcePool<TKey, T> pool, KeyedResourcePoolOptions<TKey> options) =>
        pool.Reconfigure(options);
}
