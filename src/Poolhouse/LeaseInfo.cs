namespace Poolhouse;

/// <summary>Usage information that a pool keeps about a leased item.</summary>
/// <param name="Uses">How often the item has been leased, including this lease: 1 for a new item.</param>
/// <param name="Age">The time since the pool created the item, or since its first lease if it was created without one.</param>
/// <param name="IdleTime">
/// How long the item was idle before this lease. Caches do not read the clock on a rent and report <see cref="TimeSpan.Zero"/>.
/// </param>
/// <param name="ItemNumber">
/// The number of the item in its resource pool, from 1 in the order of creation; each key of a keyed pool has numbers of its own.
/// Caches do not number their items and report 0.
/// </param>
public readonly record struct LeaseInfo(long Uses, TimeSpan Age, TimeSpan IdleTime, long ItemNumber = 0);
