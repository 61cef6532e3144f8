using Poolhouse.Kernel.Time;

namespace Poolhouse.Workers.Engine;

/// <summary>The options of a worker pool in timestamps of its clock. Immutable: a change creates a new instance.</summary>
internal sealed class WorkerSettings(WorkerPoolOptions options, PoolClock clock)
{
    public WorkerPoolOptions Options { get; } = options;

    public long IdleTicks { get; } = clock.Ticks(options.IdleTimeout);

    public long StuckTicks { get; } = clock.Ticks(options.StuckThreshold);

    public long QueueTicks { get; } = clock.Ticks(options.QueueTimeout);

    public long RunTicks { get; } = clock.Ticks(options.RunTimeout);

    public int MaxAbandoned { get; } = options.MaxAbandonedWorkers ?? options.MaxWorkers;
}
