namespace Poolhouse;

/// <summary>An item has been running for suspiciously long.</summary>
/// <param name="Pool">The pool.</param>
/// <param name="Worker">The number of its worker.</param>
/// <param name="Label">The item: <see cref="WorkOptions.Label"/>, else the name of its method.</param>
/// <param name="RunningFor">For how long by now.</param>
/// <param name="AwaitsOwnPool">
/// Whether an item that it handed to the same pool has not begun yet: if it blocks on that one, it may wait for itself.
/// </param>
public readonly record struct WorkStuck(IPool Pool, int Worker, string Label, TimeSpan RunningFor, bool AwaitsOwnPool);
