using Microsoft.IO;

namespace Poolhouse.Tool.Bench.Streams.Sources;

/// <summary>The streams of Microsoft.IO.RecyclableMemoryStream.</summary>
internal readonly struct RecyclableStreams(RecyclableMemoryStreamManager manager) : IStreamSource<RecyclableMemoryStream>
{
    private const long MaxFreeBytes = 64 << 20;

    /// <summary>
    /// As its README advises: one manager, free bytes limited (with room for all that an experiment uses), buffers returned at
    /// once.
    /// </summary>
    public static RecyclableMemoryStreamManager CreateManager() => new(new RecyclableMemoryStreamManager.Options
    {
        AggressiveBufferReturn = true,
        MaximumSmallPoolFreeBytes = MaxFreeBytes,
        MaximumLargePoolFreeBytes = MaxFreeBytes,
    });

    public RecyclableMemoryStream Take(long length) => length == 0 ? manager.GetStream() : manager.GetStream(tag: null, length);

    public Stream Open(RecyclableMemoryStream held) => held;

    public void Give(RecyclableMemoryStream held) => held.Dispose();
}
