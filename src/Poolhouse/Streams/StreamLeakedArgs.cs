using System.Diagnostics;

namespace Poolhouse;

/// <summary>Reports a stream that was never disposed.</summary>
/// <param name="Pool">The pool.</param>
/// <param name="Tag">The tag given when the stream was rented.</param>
/// <param name="LeasedFor">The time since it was rented.</param>
/// <param name="RentedAt">The call stack of the rent; null unless <see cref="StreamPoolOptions.TrackLeases"/> is on.</param>
public readonly record struct StreamLeakedArgs(StreamPool Pool, string? Tag, TimeSpan LeasedFor, StackTrace? RentedAt);
