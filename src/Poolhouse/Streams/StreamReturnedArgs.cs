namespace Poolhouse;

/// <summary>Reports that a stream was disposed.</summary>
/// <param name="Pool">The pool.</param>
/// <param name="Tag">The tag given when the stream was rented.</param>
/// <param name="Length">The length in bytes at that time; 0 if the content was detached.</param>
/// <param name="LeasedFor">How long the stream was rented.</param>
public readonly record struct StreamReturnedArgs(StreamPool Pool, string? Tag, long Length, TimeSpan LeasedFor);
