namespace Poolhouse;

/// <summary>Reports that the content of a stream was copied to an array, a cost that pooled streams are meant to avoid.</summary>
/// <param name="Pool">The pool.</param>
/// <param name="Tag">The tag given when the stream was rented.</param>
/// <param name="Length">The length of the content in bytes.</param>
public readonly record struct StreamCopiedToArrayArgs(StreamPool Pool, string? Tag, long Length);
