using System.Data.Common;
using Poolhouse.Extensions;

namespace Poolhouse.Data.Extensions;

internal sealed class ConnectionPoolKind<TConnection>(Func<IServiceProvider, DbPoolOptions, DbConnectionPool<TConnection>> create)
    : PoolKind<DbConnectionPool<TConnection>, DbPoolOptions>
    where TConnection : DbConnection
{
    public override string Category => "Poolhouse.Data";

    public override Type ItemType => typeof(TConnection);

    public override SettingsMap<DbPoolOptions> Settings => DataSettings.Map;

    public override void Complete(DbPoolOptions options, PoolContext context) => DataSettings.Complete(options, context);

    public override DbConnectionPool<TConnection> Create(IServiceProvider services, DbPoolOptions options) =>
        create(services, options);

    public override int? GetMaxWarmUp(DbConnectionPool<TConnection> pool, DbPoolOptions options) =>
        options.Pool.Budget is null ? pool.GetStatistics().MaxSize : null;

    public override Task WarmUpAsync(DbConnectionPool<TConnection> pool, int count, CancellationToken cancellationToken) =>
        pool.WarmUpAsync(count, cancellationToken);

    public override Task DrainAsync(DbConnectionPool<TConnection> pool, CancellationToken cancellationToken) =>
        pool.DrainAsync(cancellationToken);

    public override void KeepCallbacks(DbPoolOptions options, DbPoolOptions current) =>
        DataSettings.KeepCallbacks(options, current);

    public override void Reconfigure(DbConnectionPool<TConnection> pool, DbPoolOptions options) => pool.Reconfigure(options);
}
