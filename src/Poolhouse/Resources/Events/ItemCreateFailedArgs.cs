namespace Poolhouse;

/// <summary>The creation of an item failed or was abandoned.</summary>
/// <param name="Pool">The pool.</param>
/// <param name="Failure">The exception that the policy threw, or a <see cref="TimeoutException"/> if the creation exceeded its
/// timeout.</param>
/// <param name="Failures">How many creations have failed in a row since the last success; this one does not count if it began
/// before that.</param>
/// <param name="RetryAfter">How long the pool attempts no other creation.</param>
public readonly record struct ItemCreateFailedArgs(IPool Pool, Exception Failure, int Failures, TimeSpan RetryAfter)
{
    /// <summary>
    /// Whether only room for another item is missing (<see cref="ResourcePolicy{T}.LacksRoom"/>), which is no outage.
    /// </summary>
    public bool LacksRoom { get; init; }
}
