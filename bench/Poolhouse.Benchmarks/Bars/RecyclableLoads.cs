using Microsoft.IO;

namespace Poolhouse.Benchmarks.Bars;

// More uses that are compared with RecyclableMemoryStream only: code that was moved over from it, many streams at once, and the
// first stream of a new pool. Each loop is written out over its own type.

/// <summary>The numbers of these uses.</summary>
internal static class RecyclableLoad
{
    /// <summary>What code that comes from RecyclableMemoryStream passes as the name of a stream.</summary>
    public const string Tag = "report";

    /// <summary>The number of streams that are alive at once.</summary>
    public const int Alive = 64;

    private const int MostPools = 64;

    [ThreadStatic]
    private static PooledStream[]? _rented;

    [ThreadStatic]
    private static RecyclableMemoryStream[]? _recyclable;

    public static PooledStream[] Rented => _rented ??= new PooledStream[Alive];

    public static RecyclableMemoryStream[] Recyclable => _recyclable ??= new RecyclableMemoryStream[Alive];

    /// <summary>The same number of streams as for one at a time, in whole groups.</summary>
    public static int InGroups<TLength>()
        where TLength : struct, IStreamLength => Math.Max(1, StreamUse.PairsPerCall<TLength>() / Alive) * Alive;

    /// <summary>A call creates few new pools, because each takes microseconds.</summary>
    public static int OfNewPools<TLength>()
        where TLength : struct, IStreamLength => Math.Min(StreamUse.PairsPerCall<TLength>(), MostPools);
}

internal readonly struct RecyclableStreamByTag<TLength> : IOperation
    where TLength : struct, IStreamLength
{
    public static int PairsPerCall => StreamUse.PairsPerCall<TLength>();

    public static void Run(int pairs)
    {
        for (var i = 0; i < pairs; i++)
        {
            using var stream = RecyclableUse.Manager.GetStream(RecyclableLoad.Tag);
            RecyclableUse.WriteAndRead(stream, TLength.Value);
        }
    }
}

internal readonly struct RentedStreamByTag<TLength> : IOperation
    where TLength : struct, IStreamLength
{
    public static int PairsPerCall => StreamUse.PairsPerCall<TLength>();

    public static void Run(int pairs)
    {
        for (var i = 0; i < pairs; i++)
        {
            using var stream = StreamPool.Shared.GetStream(RecyclableLoad.Tag);
            StreamUse.WriteAndRead(stream, TLength.Value);
        }
    }
}

internal readonly struct RecyclableStreamsAlive<TLength> : IOperation
    where TLength : struct, IStreamLength
{
    public static int PairsPerCall => RecyclableLoad.InGroups<TLength>();

    public static void Run(int pairs)
    {
        var streams = RecyclableLoad.Recyclable;
        for (var i = 0; i < pairs; i += streams.Length)
        {
            for (var index = 0; index < streams.Length; index++)
            {
                streams[index] = RecyclableUse.Manager.GetStream();
                RecyclableUse.WriteAndRead(streams[index], TLength.Value);
            }

            foreach (var stream in streams)
            {
                stream.Dispose();
            }
        }
    }
}

internal readonly struct RentedStreamsAlive<TLength> : IOperation
    where TLength : struct, IStreamLength
{
    public static int PairsPerCall => RecyclableLoad.InGroups<TLength>();

    public static void Run(int pairs)
    {
        var streams = RecyclableLoad.Rented;
        for (var i = 0; i < pairs; i += streams.Length)
        {
            for (var index = 0; index < streams.Length; index++)
            {
                streams[index] = StreamPool.Shared.Rent();
                StreamUse.WriteAndRead(streams[index], TLength.Value);
            }

            foreach (var stream in streams)
            {
                stream.Dispose();
            }
        }
    }
}

/// <summary>The first stream of a new manager, which creates its blocks.</summary>
internal readonly struct FirstRecyclableStream<TLength> : IOperation
    where TLength : struct, IStreamLength
{
    public static int PairsPerCall => RecyclableLoad.OfNewPools<TLength>();

    public static void Run(int pairs)
    {
        for (var i = 0; i < pairs; i++)
        {
            using var stream = RecyclableUse.CreateManager().GetStream();
            RecyclableUse.WriteAndRead(stream, TLength.Value);
        }
    }
}

/// <summary>The first stream of a new pool, with a new array pool, because the shared one has blocks already.</summary>
internal readonly struct FirstRentedStream<TLength> : IOperation
    where TLength : struct, IStreamLength
{
    public static int PairsPerCall => RecyclableLoad.OfNewPools<TLength>();

    public static void Run(int pairs)
    {
        for (var i = 0; i < pairs; i++)
        {
            using var arrays = new TieredArrayPool<byte>();
            using var pool = new StreamPool(new StreamPoolOptions { Arrays = arrays });
            using var stream = pool.Rent();
            StreamUse.WriteAndRead(stream, TLength.Value);
        }
    }
}
