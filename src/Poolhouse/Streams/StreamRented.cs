namespace Poolhouse;

/// <summary>A stream was rented.</summary>
/// <param name="Pool">The pool.</param>
/// <param name="Tag">What the one who rented called it.</param>
/// <param name="SizeHint">How many bytes were expected; 0 when nobody said.</param>
public readonly record struct StreamRented(StreamPool Pool, string? Tag, long SizeHint);
