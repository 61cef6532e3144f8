namespace Poolhouse;

/// <summary>A write was refused because the stream would have become too long.</summary>
/// <param name="Pool">The pool.</param>
/// <param name="Tag">What the one who rented called it.</param>
/// <param name="Position">Where the write would have begun.</param>
/// <param name="Count">How many bytes it had.</param>
public readonly record struct StreamTooLong(StreamPool Pool, string? Tag, long Position, int Count);
