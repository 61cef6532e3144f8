using System.Runtime.CompilerServices;

namespace Poolhouse.Tool.Bench.Streams.Work;

/// <summary>Writes bytes in chunks, rewinds, and reads them in chunks.</summary>
internal readonly struct WriteAndRead(int length, bool isKnown) : IStreamWork
{
    /// <summary>4 KiB, as serialisers and Kestrel write.</summary>
    public const int ChunkLength = 4 << 10;

    private readonly byte[] _chunk = new byte[ChunkLength];

    public int Operations => 1;

    public long KnownLength => isKnown ? length : 0;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public long Do<TSource>(Stream stream)
        where TSource : struct
    {
        var chunk = _chunk;
        for (var left = length; left > 0; left -= chunk.Length)
        {
            stream.Write(chunk.AsSpan(0, Math.Min(left, chunk.Length)));
        }

        stream.Position = 0;
        var total = 0L;
        int read;
        while ((read = stream.Read(chunk)) > 0)
        {
            total += read;
        }

        return total;
    }
}
