using Poolhouse.Extensions.Configuration;

namespace Poolhouse.Extensions.Kinds;

internal sealed class NestedPoolKind<TParent, TChild>(
    Func<IServiceProvider, NestedResourcePoolOptions, NestedResourcePool<TParent, TChild>> create)
    : PoolKind<NestedResourcePool<TParent, TChild>, NestedResourcePoolOptions>
    where TParent : notnull
    where TChild : notnull
{
    public override Type ItemType => typeof(TChild);

    public override SettingsMap<NestedResourcePoolOptions> Settings => CoreSettings.Nested;

    public override void Initialize(NestedResourcePoolOptions options)
    {
        options.ParentPool ??= CoreSettings.Unset();
        options.ChildPool ??= CoreSettings.Unset();
    }

    public override void Complete(NestedResourcePoolOptions options, PoolContext context)
    {
        context.Complete(options.ChildPool);
        context.CompleteUnobserved(options.ParentPool);
    }

    public override NestedResourcePool<TParent, TChild> Create(IServiceProvider services, NestedResourcePoolOptions options) =>
        create(services, options);

    public override int? GetMaxWarmUp(NestedResourcePool<TParent, TChild> pool, NestedResourcePoolOptions options) =>
        pool.GetStatistics().MaxSize;

    public override Task WarmUpAsync(NestedResourcePool<TParent, TChild> pool, int count, CancellationToken cancellationToken) =>
        pool.WarmUpAsync(count, cancellationToken);

    public override Task DrainAsync(NestedResourcePool<TParent, TChild> pool, CancellationToken cancellationToken) =>
        pool.DrainAsync(cancellationToken);

    public override void KeepCallbacks(NestedResourcePoolOptions options, NestedResourcePoolOptions current)
    {
        PoolContext.Keep(options.ParentPool, current.ParentPool);
        PoolContext.Keep(options.ChildPool, current.ChildPool);
    }

    public override void Reconfigure(NestedResourcePool<TParent, TChild> pool, NestedResourcePoolOptions options) =>
        pool.Reconfigure(options);
}
