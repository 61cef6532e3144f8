using System.Globalization;
using Poolhouse.Extensions.Configuration;

namespace Poolhouse.Extensions.Kinds;

internal sealed class SharedPoolKind<T>(Func<IServiceProvider, SharedResourcePoolOptions, SharedResourcePool<T>> create)
    : PoolKind<SharedResourcePool<T>, SharedResourcePoolOptions>
    where T : notnull
{
    public override Type ItemType => typeof(T);

    public override SettingsMap<SharedResourcePoolOptions> Settings => CoreSettings.Shared;

    public override void Initialize(SharedResourcePoolOptions options) => options.Pool ??= CoreSettings.Unset();

    public override void Complete(SharedResourcePoolOptions options, PoolContext context) =>
        context.Complete(options.Pool);

    public override SharedResourcePool<T> Create(IServiceProvider services, SharedResourcePoolOptions options) =>
        create(services, options);

    public override int? GetMaxWarmUp(SharedResourcePool<T> pool, SharedResourcePoolOptions options) =>
        options.MaxActive ?? options.Pool.MaxSize;

    public override string? DescribeLimit(SharedResourcePool<T> pool, SharedResourcePoolOptions options) => string.Create(
        CultureInfo.InvariantCulture,
        $"{(options.MaxActive is null ? "MaxSize" : "MaxActive")} x MaxUsesPerItem {pool.GetStatistics().MaxLeased}");

    public override Task WarmUpAsync(SharedResourcePool<T> pool, int count, CancellationToken cancellationToken) =>
        pool.WarmUpAsync(count, cancellationToken);

    public override Task DrainAsync(SharedResourcePool<T> pool, CancellationToken cancellationToken) =>
        pool.DrainAsync(cancellationToken);

    public override void KeepCallbacks(SharedResourcePoolOptions options, SharedResourcePoolOptions current) =>
        PoolContext.Keep(options.Pool, current.Pool);

    public override void Reconfigure(SharedResourcePool<T> pool, SharedResourcePoolOptions options) => pool.Reconfigure(options);
}
