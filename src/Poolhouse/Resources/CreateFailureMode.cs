namespace Poolhouse;

/// <summary>How a resource pool responds to callers while items cannot be created.</summary>
public enum CreateFailureMode
{
    /// <summary>
    /// Callers keep waiting: the pool retries in the background with growing, random delays, and a caller whose timeout elapses
    /// gets a <see cref="PoolTimeoutException"/> that holds the last failure. A failure that the policy reports as permanent is
    /// thrown at once, as with <see cref="FailFast"/>.
    /// </summary>
    Wait,

    /// <summary>
    /// A failed creation is thrown unchanged to the caller that has waited longest. Until the next attempt, a caller that cannot
    /// be served with an idle item gets a <see cref="PoolUnavailableException"/> at once.
    /// </summary>
    FailFast,
}
