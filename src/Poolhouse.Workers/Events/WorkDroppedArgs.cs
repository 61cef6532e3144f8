namespace Poolhouse.Workers;

/// <summary>Reports a work item that ended before it started.</summary>
/// <param name="Pool">The pool.</param>
/// <param name="Label">
/// The label of the item: <see cref="WorkOptions.Label"/>, or the name of its method if no label was set.
/// </param>
/// <param name="Reason">Why the item was dropped.</param>
/// <param name="Waited">How long the item had waited.</param>
public readonly record struct WorkDroppedArgs(IPool Pool, string Label, WorkDropReason Reason, TimeSpan Waited);
