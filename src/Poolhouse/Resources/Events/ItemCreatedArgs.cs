namespace Poolhouse;

/// <summary>An item was created.</summary>
/// <param name="Pool">The pool.</param>
/// <param name="ItemNumber">The number of the item in its pool, from 1 in the order of creation; see
/// <see cref="LeaseInfo"/>.</param>
/// <param name="Duration">How long the creation took.</param>
public readonly record struct ItemCreatedArgs(IPool Pool, long ItemNumber, TimeSpan Duration);
