namespace Poolhouse.Tool.Bench.Streams.Sources;

/// <summary>A stream pool with default settings over arrays of its own, so that no contender finds what another left.</summary>
internal sealed class PrivateStreamPool : IDisposable
{
    private readonly TieredArrayPool<byte> _arrays = new();

    public PrivateStreamPool() => Pool = new StreamPool(new StreamPoolOptions { Arrays = _arrays });

    public StreamPool Pool { get; }

    public void Dispose()
    {
        Pool.Dispose();
        _arrays.Dispose();
    }
}
