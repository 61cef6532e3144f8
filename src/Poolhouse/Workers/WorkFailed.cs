namespace Poolhouse;

/// <summary>An item of work threw.</summary>
/// <param name="Pool">The pool.</param>
/// <param name="Label">The item: <see cref="WorkOptions.Label"/>, else the name of its method.</param>
/// <param name="Failure">What it threw.</param>
public readonly record struct WorkFailed(IPool Pool, string Label, Exception Failure);
