namespace Poolhouse;

/// <summary>A stream was disposed, or its lease has ended.</summary>
/// <param name="Pool">The pool.</param>
/// <param name="Tag">What the one who rented called it.</param>
/// <param name="Length">How many bytes it had then; 0 when its content was detached.</param>
/// <param name="Lifetime">For how long it was rented.</param>
public readonly record struct StreamReturned(StreamPool Pool, string? Tag, long Length, TimeSpan Lifetime);
