namespace Poolhouse;

/// <summary>A caller's wait ended.</summary>
/// <param name="Pool">The pool.</param>
/// <param name="Outcome">How the wait ended.</param>
/// <param name="Waited">How long the caller waited.</param>
public readonly record struct WaitEndedArgs(IPool Pool, WaitOutcome Outcome, TimeSpan Waited);
