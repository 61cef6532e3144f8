namespace Poolhouse;

/// <summary>An item was created.</summary>
/// <param name="Pool">The pool.</param>
/// <param name="Duration">How long the creation took.</param>
public readonly record struct ItemCreated(IPool Pool, TimeSpan Duration);
