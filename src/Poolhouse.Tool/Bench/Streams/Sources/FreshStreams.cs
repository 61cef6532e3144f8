namespace Poolhouse.Tool.Bench.Streams.Sources;

/// <summary>A new stream each time.</summary>
internal readonly struct FreshStreams : IStreamSource<MemoryStream>
{
    public MemoryStream Take(long length) => new((int)length);

    public Stream Open(MemoryStream held) => held;

    public void Give(MemoryStream held) => held.Dispose();
}
