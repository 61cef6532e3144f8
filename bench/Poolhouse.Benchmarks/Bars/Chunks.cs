using System.Runtime.CompilerServices;

namespace Poolhouse.Benchmarks.Bars;

/// <summary>The bytes that a thread writes to its streams, and reads from them: somewhere else in their page each time.</summary>
// A copy takes up to 20 times as long if source and destination begin at nearly the same place of their pages, because the
// processor takes each load for one that depends on the store before it. Where a block of a pool begins is chance, and stays the
// same for a whole run. With a fixed source, one contender or the other was several times slower, from run to run. So the source
// begins at each multiple of 8 bytes in turn. Not for streams of less than a chunk: there, the places of a short copy in its
// cache lines take more time than what is measured.
internal sealed class Chunks
{
    public const int Length = 4 << 10;

    private const int Longest = 8 << 20;
    private const int PageMask = (4 << 10) - 1;

    // An odd multiple of 8, so that each place comes once before any comes again.
    private const int Step = 217 * 8;

    [ThreadStatic]
    private static Chunks? _current;

    private readonly byte[] _bytes = new byte[Length + PageMask];
    private byte[]? _whole;
    private int _offset;

    private static Chunks Current => _current ??= new Chunks();

    /// <summary>A chunk for a stream of this length.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Span<byte> Next(int length)
    {
        var current = Current;
        return current._bytes.AsSpan(current.Move(length), Length);
    }

    /// <summary>The content of a whole stream.</summary>
    public static ReadOnlySpan<byte> NextWhole(int length)
    {
        var current = Current;
        return (current._whole ??= new byte[Longest + PageMask]).AsSpan(current.Move(length), length);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private int Move(int length) => length < Length ? 0 : _offset = (_offset + Step) & PageMask;
}
