namespace Poolhouse;

/// <summary>An item was destroyed, or its destruction was given up at its deadline.</summary>
/// <param name="Pool">The pool.</param>
/// <param name="Reason">Why it was destroyed.</param>
/// <param name="Failure">What the policy threw, a <see cref="TimeoutException"/> when its time was up, or null.</param>
public readonly record struct ItemDestroyed(IPool Pool, DestroyReason Reason, Exception? Failure);
