using System.Diagnostics;

namespace Poolhouse;

/// <summary>An item has been leased for suspiciously long.</summary>
/// <param name="Pool">The pool.</param>
/// <param name="LeasedFor">For how long by now.</param>
/// <param name="RentedAt">Where it was rented; null unless <see cref="ResourcePoolOptions.TrackLeases"/> is on.</param>
public readonly record struct LeakSuspected(IPool Pool, TimeSpan LeasedFor, StackTrace? RentedAt);
