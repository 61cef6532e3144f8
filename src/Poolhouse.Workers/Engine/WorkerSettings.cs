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

    /// <summary>
    /// Whether posts without settings of their own may be queued without an item: nothing is to be observed, measured or limited.
    /// </summary>
    public bool AllowsPlainPosts { get; } =
        options.Observer is null && !options.FlowExecutionContext
        && options.QueueTimeout == Timeout.InfiniteTimeSpan && options.RunTimeout == Timeout.InfiniteTimeSpan
        && options.StuckThreshold == Timeout.InfiniteTimeSpan;
}
