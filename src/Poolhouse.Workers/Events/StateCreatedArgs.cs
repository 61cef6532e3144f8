namespace Poolhouse.Workers;

/// <summary>Reports the creation of a worker's state.</summary>
/// <param name="Pool">The pool.</param>
/// <param name="Duration">How long the creation took.</param>
public readonly record struct StateCreatedArgs(IPool Pool, TimeSpan Duration);
