namespace Poolhouse;

/// <summary>A caller's wait ended.</summary>
/// <param name="Pool">The pool.</param>
/// <param name="Outcome">How.</param>
/// <param name="Waited">After how long.</param>
public readonly record struct WaitEnded(IPool Pool, WaitOutcome Outcome, TimeSpan Waited);
