namespace Poolhouse.Streams.Blocks;

/// <summary>A part of a stream.</summary>
/// <param name="Array">The array that holds it.</param>
/// <param name="Start">The position in the stream at which it starts.</param>
/// <param name="Size">How many bytes of the array belong to the stream: all, unless the block was shortened.</param>
internal readonly record struct StreamBlock(byte[] Array, long Start, int Size);
