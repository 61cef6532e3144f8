namespace Poolhouse;

/// <summary>Items cannot be created at present, and the pool was asked to say so at once (<see cref="CreateFailureMode.FailFast"/>).</summary>
/// <remarks><see cref="Exception.InnerException"/> is the last failure.</remarks>
#pragma warning disable CA1032 // Only a pool can make one: it carries what the pool knew.
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

    /// <summary>The time until the pool tries again. A caller that comes earlier hears the same.</summary>
    public TimeSpan RetryAfter { get; }
}
