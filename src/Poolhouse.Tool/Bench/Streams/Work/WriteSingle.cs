using System.Runtime.CompilerServices;

namespace Poolhouse.Tool.Bench.Streams.Work;

/// <summary>Fills a stream byte by byte.</summary>
internal readonly struct WriteSingle(int length) : IStreamWork
{
    public int Operations => length;

    public long KnownLength => 0;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public long Do<TSource>(Stream stream)
        where TSource : struct
    {
        for (var i = 0; i < length; i++)
        {
            stream.WriteByte((byte)i);
        }

        return length;
    }
}
