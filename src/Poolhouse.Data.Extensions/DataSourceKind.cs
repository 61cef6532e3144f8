using System.Data.Common;
using Poolhouse.Extensions;

namespace Poolhouse.Data.Extensions;

internal sealed class DataSourceKind(Func<IServiceProvider, DbPoolOptions, PooledDataSource> create)
    : PoolKind<PooledDataSource, DbPoolOptions>
{
    public override string Category => "Poolhouse.Data";

    public override Type ItemType => typeof(DbConnection);

    public override SettingsMap<DbPoolOptions> Settings => DataSettings.Map;

    public override void Complete(DbPoolOptions options, PoolContext context) => DataSettings.Complete(options, context);

    public override PooledDataSource Create(IServiceProvider services, DbPoolOptions options) => create(services, options);

    public override int? GetMaxWarmUp(PooledDataSource pool, DbPoolOptions options) =>
        options.Pool.Budget is null ? pool.GetStatistics().MaxSize : null;

    public override Task WarmUpAsync(PooledDataSource pool, int count, CancellationToken cancellationToken) =>
        pool.WarmUpAsync(count, cancellationToken);

    public override Task DrainAsync(PooledDataSource pool, CancellationToken cancellationToken) =>
        pool.DrainAsync(cancellationToken);

    public override void KeepCallbacks(DbPoolOptions options, DbPoolOptions current) =>
        DataSettings.KeepCallbacks(options, current);

    public override void Reconfigure(PooledDataSource pool, DbPoolOptions options) => pool.Reconfigure(options);
}
