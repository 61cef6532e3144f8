namespace Poolhouse.Workers;

/// <summary>The exception that is thrown when an item of work did not start or did not end within its timeout.</summary>
/// <remarks>The message names the limit that was reached, the counts, the longest run and the setting to change.</remarks>
public sealed class WorkTimeoutException : TimeoutException, IPoolException
{
    internal WorkTimeoutException(string message, WorkPhase phase, TimeSpan elapsed, WorkerPoolStatistics statistics, string pool)
        : base(message)
    {
        PoolName = pool;
        Phase = phase;
        Elapsed = elapsed;
        Statistics = statistics;
    }

    /// <inheritdoc/>
    public string PoolName { get; }

    /// <summary>What the item was doing.</summary>
    public WorkPhase Phase { get; }

    /// <summary>How long the item had waited, or how long it had been running.</summary>
    public TimeSpan Elapsed { get; }

    /// <summary>The pool's counters when the timeout elapsed.</summary>
    public WorkerPoolStatistics Statistics { get; }

    PoolStatistics? IPoolException.Statistics => Statistics;
}
