namespace Poolhouse;

/// <summary>The content of a stream was copied to an array, which is the cost that pooled streams are there to save.</summary>
/// <param name="Pool">The pool.</param>
/// <param name="Tag">What the one who rented called it.</param>
/// <param name="Length">How many bytes.</param>
public readonly record struct StreamCopiedToArray(StreamPool Pool, string? Tag, long Length);
