using System.Diagnostics.CodeAnalysis;

namespace Poolhouse.Streams;

/// <summary>
/// The errors shared by pooled streams and sequence streams; their types and parameters are those of MemoryStream.
/// </summary>
internal static class StreamErrors
{
    public static ObjectDisposedException Disposed() => new(
        nameof(PooledStream),
        "The stream was disposed or detached: its memory may already belong to another stream. " +
        "Do not use it afterwards.");

    public static InvalidOperationException UsedConcurrently() => new(
        "The stream is being used by two threads at once, which it does not support: its content may be wrong. " +
        "Let one thread use it at a time, and await each operation before the next.");

    public static NotSupportedException NotWritable() =>
        new("The stream is read-only: write to the stream from which it was created.");

    public static IOException TooLongForArray(long length, string way) => new(
        $"The stream has {length} bytes, and an array holds at most {Array.MaxLength}. Use {way}, which needs no array.");

    /// <summary>Calculates the target position of a seek.</summary>
    /// <exception cref="ArgumentException">The origin is not a valid value.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The target is beyond the largest position.</exception>
    /// <exception cref="IOException">The position would be negative.</exception>
    public static long TargetOfSeek(long offset, SeekOrigin origin, long position, long length)
    {
#pragma warning disable MA0015 // MemoryStream names no parameter here; the message does.
        var from = origin switch
        {
            SeekOrigin.Begin => 0,
            SeekOrigin.Current => position,
            SeekOrigin.End => length,
            _ => throw new ArgumentException($"origin is {(int)origin}; allowed: Begin, Current or End."),
        };
#pragma warning restore MA0015
        if (offset > long.MaxValue - from)
        {
            throw new ArgumentOutOfRangeException(nameof(offset), offset, "The resulting position is out of range.");
        }

        var target = from + offset;
        return target >= 0
            ? target
            : throw new IOException($"Cannot seek to {target}: a position must be 0 or more.");
    }

    [DoesNotReturn]
    public static void ThrowDisposed() => throw Disposed();
}
