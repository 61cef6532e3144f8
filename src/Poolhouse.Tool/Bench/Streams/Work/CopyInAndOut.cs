using System.Runtime.CompilerServices;

namespace Poolhouse.Tool.Bench.Streams.Work;

/// <summary>Copies a source into a stream, rewinds, and copies the stream to a sink.</summary>
#pragma warning disable CA1001 // Its streams hold nothing but arrays.
internal readonly struct CopyInAndOut(int length) : IStreamWork
#pragma warning restore CA1001
{
    private readonly ChunkSource _source = new(new byte[length]);
    private readonly ChunkSink _sink = new();

    public int Operations => 1;

    public long KnownLength => 0;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public long Do<TSource>(Stream stream)
        where TSource : struct
    {
        _source.Rewind();
        _source.CopyTo(stream);
        stream.Position = 0;
        _sink.Reset();
        stream.CopyTo(_sink);
        return _sink.Sum;
    }
}
