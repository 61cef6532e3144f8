namespace Poolhouse.Tool.Bench.Streams.Sources;

/// <summary>Streams behind a lease, which are pooled whole.</summary>
internal readonly struct LeasedStreams(StreamPool pool) : IStreamSource<StreamLease>
{
    public StreamLease Take(long length) => pool.RentLease(sizeHint: length);

    public Stream Open(StreamLease held) => held.Stream;

    public void Give(StreamLease held) => held.Dispose();
}
