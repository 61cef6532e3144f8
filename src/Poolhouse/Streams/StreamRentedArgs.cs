namespace Poolhouse;

/// <summary>Reports that a stream was rented.</summary>
/// <param name="Pool">The pool.</param>
/// <param name="Tag">The tag given when the stream was rented.</param>
/// <param name="SizeHint">The expected length in bytes; 0 if none was given.</param>
public readonly record struct StreamRentedArgs(StreamPool Pool, string? Tag, long SizeHint);
