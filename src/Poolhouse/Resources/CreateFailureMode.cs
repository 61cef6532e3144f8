namespace Poolhouse;

/// <summary>What a resource pool tells its callers while items cannot be created.</summary>
public enum CreateFailureMode
{
    /// <summary>
    /// Callers wait on: the pool retries on its own, with growing, random delays, and a caller whose time is up gets a
    /// <see cref="PoolTimeoutException"/> that holds the last failure. A failure that the policy calls permanent is told at once, as by <see cref="FailFast"/>.
    /// </summary>
    Wait,

    /// <summary>
    /// A failed creation is thrown unchanged to the caller that waited longest. Until the next attempt, a caller that no idle item can
    /// serve gets a <see cref="PoolUnavailableException"/> at once.
    /// </summary>
    FailFast,
}
