namespace Poolhouse.Testing;

/// <summary>The life of one item in a history.</summary>
/// <param name="Item">The item; compared by reference.</param>
/// <param name="Created">Stamped after the item was created, before the pool got it.</param>
/// <param name="Destroying">Stamped when its destruction began, or when it was detached; null if neither.</param>
/// <remarks>Both stamps are conservative: the item was certainly alive between them.</remarks>
public sealed record HistoryLife(object Item, long Created, long? Destroying = null);
