namespace Poolhouse.Testing;

/// <summary>One rent in a history: when it was called, when it was known to wait, when it had its item, and when it gave the item back.</summary>
/// <param name="Item">The item; compared by reference.</param>
/// <param name="Called">Stamped before the rent was called.</param>
/// <param name="Rented">Stamped after the lease was there.</param>
/// <param name="Queued">Stamped when the call was seen to wait; null if it was not seen to.</param>
/// <param name="Ending">Stamped before the lease was ended; null if it was not.</param>
/// <remarks>
/// Stamps are unique and grow with time. Each stands on the safe side: the item was owned for sure from <paramref name="Rented"/> to
/// <paramref name="Ending"/>, and the caller stood in the queue for sure at <paramref name="Queued"/>.
/// </remarks>
public sealed record HistoryRent(object Item, long Called, long Rented, long? Queued = null, long? Ending = null);
