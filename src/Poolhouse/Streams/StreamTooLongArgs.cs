namespace Poolhouse;

/// <summary>Reports a write that was rejected because the stream would have become too long.</summary>
/// <param name="Pool">The pool.</param>
/// <param name="Tag">The tag given when the stream was rented.</param>
/// <param name="Position">The position at which the write would have started.</param>
/// <param name="Count">The number of bytes to write.</param>
public readonly record struct StreamTooLongArgs(StreamPool Pool, string? Tag, long Position, int Count);
