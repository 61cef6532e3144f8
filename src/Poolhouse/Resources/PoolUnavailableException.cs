namespace Poolhouse;

/// <summary>
/// The exception that is thrown when items cannot be created and the pool is set to fail fast (<see cref="CreateFailureMode.FailFast"/>).
/// </summary>
/// <remarks><see cref="Exception.InnerException"/> is the last failure.</remarks>
#pragma warning disable CA1032 // Only a pool can create one: it carries the pool's state.
public sealed class PoolUnavailableException : InvalidOperationException
#pragma warning restore CA1032
{
    internal PoolUnavailableException(string message, string pool, TimeSpan retryAfter, Exception? inner)
        : base(message, inner)
    {
        PoolName = pool;
        RetryAfter = retryAfter;
    }

    /// <summary>The name of the pool.</summary>
    public string PoolName { get; }

    /// <summary>The time until the pool's next attempt. Rents before then fail in the same way.</summary>
    public TimeSpan RetryAfter { get; }
}
