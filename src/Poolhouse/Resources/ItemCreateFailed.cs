namespace Poolhouse;

/// <summary>A creation failed or was given up.</summary>
/// <param name="Pool">The pool.</param>
/// <param name="Failure">What the policy threw, or a <see cref="TimeoutException"/> when its time was up.</param>
/// <param name="Failures">How many creations have failed in a row.</param>
/// <param name="RetryAfter">The time until the pool tries again.</param>
public readonly record struct ItemCreateFailed(IPool Pool, Exception Failure, int Failures, TimeSpan RetryAfter);
