namespace Poolhouse.Workers;

/// <summary>Reports a work item that threw an exception.</summary>
/// <param name="Pool">The pool.</param>
/// <param name="Label">
/// The label of the item: <see cref="WorkOptions.Label"/>, or the name of its method if no label was set.
/// </param>
/// <param name="Failure">The exception that the item threw.</param>
public readonly record struct WorkFailedArgs(IPool Pool, string Label, Exception Failure);
