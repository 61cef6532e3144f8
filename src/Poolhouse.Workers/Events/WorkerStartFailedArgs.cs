namespace Poolhouse.Workers;

/// <summary>Reports that a thread of a worker pool could not be started.</summary>
/// <param name="Pool">The pool.</param>
/// <param name="Failure">The exception of the runtime.</param>
/// <param name="RetryAfter">The time until the pool tries again.</param>
public readonly record struct WorkerStartFailedArgs(IPool Pool, Exception Failure, TimeSpan RetryAfter);
