using System.Runtime.CompilerServices;

namespace Poolhouse.Tool.Bench.Streams.Work;

/// <summary>Fills a stream with writes of 6 bytes each.</summary>
internal readonly struct WriteSmall(int length) : IStreamWork
{
    private const int BytesPerWrite = 6;

    public int Operations => length / BytesPerWrite;

    public long KnownLength => 0;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public long Do<TSource>(Stream stream)
        where TSource : struct
    {
        ReadOnlySpan<byte> bytes = "pooled"u8;
        for (var left = Operations; left > 0; left--)
        {
            stream.Write(bytes);
        }

        return Operations;
    }
}
