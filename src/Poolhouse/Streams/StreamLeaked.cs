using System.Diagnostics;

namespace Poolhouse;

/// <summary>A stream was never disposed.</summary>
/// <param name="Pool">The pool.</param>
/// <param name="Tag">What the one who rented called it.</param>
/// <param name="Age">How long ago it was rented.</param>
/// <param name="RentedAt">Where it was rented; null unless <see cref="StreamPoolOptions.TrackLeases"/> is on.</param>
public readonly record struct StreamLeaked(StreamPool Pool, string? Tag, TimeSpan Age, StackTrace? RentedAt);
