using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Poolhouse.Caching.Misuse;

namespace Poolhouse.Buffers;

/// <summary>
/// Fills idle arrays with a pattern: zeros if the pool promises cleared arrays or the elements contain references.
/// </summary>
// Of an array of more than 64 KiB only the first and the last 32 KiB are filled and checked, so that long arrays remain usable.
internal sealed class ArrayPoison<T>(bool clears) : ItemPoison<T[]>
{
    private const int BytesAtEachEnd = 32 << 10;
    private const byte Pattern = 0xDB;

    private static readonly object _mark = new();
    private readonly byte _pattern = clears || RuntimeHelpers.IsReferenceOrContainsReferences<T>() ? (byte)0 : Pattern;

    public override object Apply(T[] item)
    {
        if (_pattern != 0)
        {
            Start(item).Fill(_pattern);
            End(item).Fill(_pattern);
        }
        else if (!clears)
        {
            // Otherwise the pool has cleared it already.
            Array.Clear(item);
        }

        return _mark;
    }

    public override bool IsIntact(T[] item, object mark) =>
        !Start(item).ContainsAnyExcept(_pattern) && !End(item).ContainsAnyExcept(_pattern);

    private static Span<byte> Start(T[] array) => Bytes(array, 0, Math.Min(array.Length, ElementsAtEachEnd));

    private static Span<byte> End(T[] array)
    {
        var from = Math.Max(Math.Min(array.Length, ElementsAtEachEnd), array.Length - ElementsAtEachEnd);
        return Bytes(array, from, array.Length - from);
    }

    private static int ElementsAtEachEnd => Math.Max(1, BytesAtEachEnd / Unsafe.SizeOf<T>());

    // Elements with references are only read, to find out whether they are null.
    private static Span<byte> Bytes(T[] array, int from, int count) => count == 0
        ? []
        : MemoryMarshal.CreateSpan(
            ref Unsafe.As<T, byte>(ref Unsafe.Add(ref MemoryMarshal.GetArrayDataReference(array), from)),
            count * Unsafe.SizeOf<T>());
}
