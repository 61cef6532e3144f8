namespace Poolhouse.Workers;

/// <summary>Reports the destruction of a worker's state.</summary>
/// <param name="Pool">The pool.</param>
/// <param name="Reason">Why the state was destroyed.</param>
/// <param name="Failure">The exception that the destruction threw, or null.</param>
public readonly record struct StateDestroyedArgs(IPool Pool, WorkerDestroyReason Reason, Exception? Failure);
