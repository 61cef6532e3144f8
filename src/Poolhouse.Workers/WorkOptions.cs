namespace Poolhouse.Workers;

/// <summary>The settings of one work item. The default value uses the pool's settings throughout.</summary>
public readonly record struct WorkOptions
{
    /// <summary>The lane that the item waits in: an index into <see cref="WorkerPoolOptions.Lanes"/>.</summary>
    /// <value>0 by default.</value>
    public int Lane { get; init; }

    /// <summary>
    /// The ordering key: within a lane, items with equal keys run one at a time, in the order in which they were queued.
    /// </summary>
    /// <value><c>null</c> by default: no ordering. Keys are compared with Equals; they are never displayed or logged.</value>
    public object? Key { get; init; }

    /// <summary>How long the item may wait before it starts.</summary>
    /// <value>
    /// <c>null</c> by default: <see cref="WorkerPoolOptions.QueueTimeout"/>. Otherwise zero or more, or
    /// <see cref="Timeout.InfiniteTimeSpan"/>. With zero, the item never starts.
    /// </value>
    public TimeSpan? QueueTimeout { get; init; }

    /// <summary>How long the item may run before it is abandoned.</summary>
    /// <value>
    /// <c>null</c> by default: <see cref="WorkerPoolOptions.RunTimeout"/>. Otherwise at least 1 millisecond, or
    /// <see cref="Timeout.InfiniteTimeSpan"/>.
    /// </value>
    public TimeSpan? RunTimeout { get; init; }

    /// <summary>The name of the item in reports of stuck and abandoned work.</summary>
    /// <value><c>null</c> by default: the name of the method. Must not contain secrets.</value>
    public string? Label { get; init; }
}
