using Poolhouse.Workers.Queueing;

namespace Poolhouse;

/// <summary>The settings of one item of work. The default leaves everything to the pool's settings.</summary>
public readonly record struct WorkOptions
{
    private readonly OptionalTime _queueTimeout;
    private readonly OptionalTime _runTimeout;

    /// <summary>The lane that it waits in: an index into <see cref="WorkerPoolOptions.Lanes"/>.</summary>
    /// <value>0 by default.</value>
    public int Lane { get; init; }

    /// <summary>
    /// Items with equal keys run one after the other, in the order in which they were handed in, within their lane.
    /// </summary>
    /// <value><c>null</c> by default: no order. Compared with Equals; never shown or logged.</value>
    public object? Key { get; init; }

    /// <summary>How long it may wait before it begins.</summary>
    /// <value>
    /// <c>null</c> by default: <see cref="WorkerPoolOptions.QueueTimeout"/>. Otherwise zero or more, or
    /// <see cref="Timeout.InfiniteTimeSpan"/>. With zero it never begins.
    /// </value>
    public TimeSpan? QueueTimeout
    {
        get => _queueTimeout.Value;
        init => _queueTimeout = new OptionalTime(value);
    }

    /// <summary>How long it may run before it is given up.</summary>
    /// <value>
    /// <c>null</c> by default: <see cref="WorkerPoolOptions.RunTimeout"/>. Otherwise at least 1 millisecond, or
    /// <see cref="Timeout.InfiniteTimeSpan"/>.
    /// </value>
    public TimeSpan? RunTimeout
    {
        get => _runTimeout.Value;
        init => _runTimeout = new OptionalTime(value);
    }

    /// <summary>What it is called in reports of stuck and abandoned work.</summary>
    /// <value><c>null</c> by default: the name of the method. Put no secret in it.</value>
    public string? Label { get; init; }

    internal bool IsDefault => Lane == 0 && Key is null && Label is null && _queueTimeout.IsUnset && _runTimeout.IsUnset;
}
