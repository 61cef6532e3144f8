namespace Poolhouse.Workers;

/// <summary>Reports that the creation of a worker's state failed.</summary>
/// <param name="Pool">The pool.</param>
/// <param name="Failure">The exception of the policy.</param>
public readonly record struct StateCreateFailedArgs(IPool Pool, Exception Failure);
