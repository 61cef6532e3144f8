using CommunityToolkit.HighPerformance.Buffers;
using Microsoft.IO;
using Poolhouse.Tool.Bench.Measuring;
using Poolhouse.Tool.Bench.Streams.Sources;
using Poolhouse.Tool.Bench.Streams.Work;

namespace Poolhouse.Tool.Bench.Streams;

/// <summary>The rivals for streams, each with the work that an experiment wants.</summary>
internal static class StreamContenders
{
    public static IReadOnlyList<Contender> Of<TWork>(Func<TWork> work)
        where TWork : struct, IStreamWork =>
    [
        new Contender<UseStream<TWork, FreshStreams, MemoryStream>>(RivalNames.NoPool, _ => new(_ => new(work(), default))),
        new Contender<UseStream<TWork, RentedStreams, PooledStream>>(RivalNames.Poolhouse, _ =>
        {
            var pool = new PrivateStreamPool();
            return new(_ => new(work(), new(pool.Pool)), pool);
        }),
        new Contender<UseStream<TWork, RecyclableStreams, RecyclableMemoryStream>>(RivalNames.Recyclable, _ =>
        {
            var manager = RecyclableStreams.CreateManager();
            return new(_ => new(work(), new(manager)));
        }),
    ];

    /// <summary>These and the toolkit's writer, for work that does nothing but write.</summary>
    public static IReadOnlyList<Contender> WithWriter<TWork>(Func<TWork> work)
        where TWork : struct, IStreamWork =>
    [
        .. Of(work),
        new Contender<UseStream<TWork, ToolkitWriters, ArrayPoolBufferWriter<byte>>>(
            RivalNames.ToolkitWriter, _ => new(_ => new(work(), default))),
    ];
}
