namespace Poolhouse;

/// <summary>An item of work ended before it began.</summary>
/// <param name="Pool">The pool.</param>
/// <param name="Label">The item: <see cref="WorkOptions.Label"/>, else the name of its method.</param>
/// <param name="Reason">Why.</param>
/// <param name="Waited">How long it had waited.</param>
public readonly record struct WorkDropped(IPool Pool, string Label, WorkDropReason Reason, TimeSpan Waited);
