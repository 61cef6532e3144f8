namespace Poolhouse.Testing;

/// <summary>
/// One rent in a history: when it was called, when it was known to wait, when it got its item, and when it returned the item.
/// </summary>
/// <param name="Item">The item; compared by reference.</param>
/// <param name="Called">Stamped before the rent was called.</param>
/// <param name="Rented">Stamped after the lease was obtained.</param>
/// <param name="Queued">Stamped when the call was observed to wait; null if this was not observed.</param>
/// <param name="Ending">Stamped before the lease was ended; null if it was not ended.</param>
/// <remarks>
/// Stamps are unique and grow with time. Each is conservative: the item was certainly owned from <paramref name="Rented"/> to
/// <paramref name="Ending"/>, and the caller was certainly queued at <paramref name="Queued"/>.
/// </remarks>
public sealed record HistoryRent(object Item, long Called, long Rented, long? Queued = null, long? Ending = null);
