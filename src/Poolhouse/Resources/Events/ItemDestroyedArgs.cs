namespace Poolhouse;

/// <summary>An item was destroyed, or its destruction was abandoned at its deadline.</summary>
/// <param name="Pool">The pool.</param>
/// <param name="ItemNumber">The number of the item in its pool, from 1 in the order of creation; see
/// <see cref="LeaseInfo"/>.</param>
/// <param name="Reason">Why it was destroyed.</param>
/// <param name="Failure">The exception that the policy threw, a <see cref="TimeoutException"/> if its timeout elapsed, or
/// null.</param>
public readonly record struct ItemDestroyedArgs(IPool Pool, long ItemNumber, DestroyReason Reason, Exception? Failure);
