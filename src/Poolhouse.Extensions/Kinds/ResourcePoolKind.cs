using Poolhouse.Extensions.Configuration;

namespace Poolhouse.Extensions.Kinds;

internal sealed class ResourcePoolKind<T>(Func<IServiceProvider, ResourcePoolOptions, ResourcePool<T>> create)
    : PoolKind<ResourcePool<T>, ResourcePoolOptions>
    where T : notnull
{
    public override Type ItemType => typeof(T);

    public override SettingsMap<ResourcePoolOptions> Settings => CoreSettings.Resource;

    public override void Complete(ResourcePoolOptions options, PoolContext context) => context.Complete(options);

    public override ResourcePool<T> Create(IServiceProvider services, ResourcePoolOptions options) => create(services, options);

    public override int? GetMaxWarmUp(ResourcePool<T> pool, ResourcePoolOptions options) =>
        options.Budget is null ? pool.GetStatistics().MaxSize : null;

    public override Task WarmUpAsync(ResourcePool<T> pool, int count, CancellationToken cancellationToken) =>
        pool.WarmUpAsync(count, cancellationToken);

    public override Task DrainAsync(ResourcePool<T> pool, CancellationToken cancellationToken) =>
        pool.DrainAsync(cancellationToken);

    public override void KeepCallbacks(ResourcePoolOptions options, ResourcePoolOptions current) =>
        PoolContext.Keep(options, current);

    public override void Reconfigure(ResourcePool<T> pool, ResourcePoolOptions options) => pool.Reconfigure(options);
}
