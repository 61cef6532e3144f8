using System.Globalization;
using Poolhouse.Extensions.Configuration;
using Poolhouse.Workers;

namespace Poolhouse.Extensions.Kinds;

internal sealed class WorkerPoolKind<TState>(Func<IServiceProvider, WorkerPoolOptions, WorkerPool<TState>> create)
    : PoolKind<WorkerPool<TState>, WorkerPoolOptions>
    where TState : notnull
{
    public override string Category => "Poolhouse.Workers";

    public override Type ItemType => typeof(TState);

    public override Type? ObserverType => typeof(WorkerPoolObserver);

    public override SettingsMap<WorkerPoolOptions> Settings => CoreSettings.Worker;

    public override void Complete(WorkerPoolOptions options, PoolContext context) => context.Complete(options);

    public override WorkerPool<TState> Create(IServiceProvider services, WorkerPoolOptions options) => create(services, options);

    public override int? GetMaxWarmUp(WorkerPool<TState> pool, WorkerPoolOptions options) => pool.GetStatistics().MaxWorkers;

    public override string? DescribeLimit(WorkerPool<TState> pool, WorkerPoolOptions options) =>
        string.Create(CultureInfo.InvariantCulture, $"MaxWorkers {pool.GetStatistics().MaxWorkers}");

    public override Task WarmUpAsync(WorkerPool<TState> pool, int count, CancellationToken cancellationToken) =>
        pool.WarmUpAsync(count, cancellationToken);

    public override Task DrainAsync(WorkerPool<TState> pool, CancellationToken cancellationToken) =>
        pool.DrainAsync(cancellationToken);

    public override void KeepCallbacks(WorkerPoolOptions options, WorkerPoolOptions current) =>
        (options.TimeProvider, options.Meter, options.MeterFactory) = (current.TimeProvider, current.Meter, current.MeterFactory);

    public override void Reconfigure(WorkerPool<TState> pool, WorkerPoolOptions options) => pool.Reconfigure(options);
}
