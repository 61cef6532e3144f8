namespace Poolhouse.Tool.Bench.Streams.Sources;

/// <summary>Streams that stay disposed: each rent creates one small object.</summary>
internal readonly struct RentedStreams(StreamPool pool) : IStreamSource<PooledStream>
{
    public PooledStream Take(long length) => pool.Rent(sizeHint: length);

    public Stream Open(PooledStream held) => held;

    public void Give(PooledStream held) => held.Dispose();
}
