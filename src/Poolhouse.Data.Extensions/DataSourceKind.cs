using System.Data.Common;
using Poolhouse.Extensions.Configuration;
using Poolhouse.Extensions.Registration;

namespace Poolhouse.Data.Extensions;

internal sealed class DataSourceKind(Func<IServiceProvider, DbPoolOptions, PooledDataSource> create)
    : PoolKind<PooledDataSource, DbPoolOptions>
{
    public override string Category => "Poolhouse.Data";

    public override Type ItemType => typeof(DbConnection);

    public override SettingsMap<DbPoolOptions> Settings => DataSettings.Map;

    public override void Complete(DbPoolOptions options, PoolContext context) => DataSettings.Complete(options, context);

    public override PooledDataSource Create(IServiceProvider services, DbPoolOptions options) => create(services, options);

    public override TimeSpan LeakThresholdOf(DbPoolOptions options) => options.Pool.LeakThreshold;

    public override Task WarmUpAsync(PooledDataSource pool, int count, CancellationToken cancellationToken) =>
        pool.WarmUpAsync(count, cancellationToken);

    public override Task DrainAsync(PooledDataSource pool, CancellationToken cancellationToken) =>
        pool.DrainAsync(cancellationToken);

    public override void Keep(DbPoolOptions options, DbPoolOptions current) => DataSettings.Keep(options, current);

    public override void Reconfigure(PooledDataSource pool, DbPoolOptions options) => pool.Reconfigure(options);
}
