using System.Diagnostics;

namespace Poolhouse;

/// <summary>An item has been leased for longer than <see cref="ResourcePoolOptions.LeakThreshold"/>.</summary>
/// <param name="Pool">The pool.</param>
/// <param name="ItemNumber">The number of the item in its pool, from 1 in the order of creation; see
/// <see cref="LeaseInfo"/>.</param>
/// <param name="LeasedFor">How long the item has been leased so far.</param>
/// <param name="Label">
/// The <see cref="LeaseLabel"/> of the caller when it rented; null if it had none, or unless
/// <see cref="ResourcePoolOptions.LabelLeases"/> or <see cref="ResourcePoolOptions.TrackLeases"/> is on.
/// </param>
/// <param name="RentedAt">Where it was rented; null unless <see cref="ResourcePoolOptions.TrackLeases"/> is on.</param>
public readonly record struct LeakSuspectedArgs(
    IPool Pool, long ItemNumber, TimeSpan LeasedFor, string? Label, StackTrace? RentedAt);
