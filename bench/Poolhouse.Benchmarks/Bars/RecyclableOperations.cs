using System.Runtime.CompilerServices;
using Microsoft.IO;

namespace Poolhouse.Benchmarks.Bars;

// The streams of RecyclableMemoryStream 4.0.1, and the uses that are compared with them only. Each loop is written out over its
// own type.

/// <summary>A manager with the options that its README recommends, as in `poolhouse bench streams`.</summary>
internal static class RecyclableUse
{
    private const long MaxFreeBytes = 64 << 20;

    public static readonly RecyclableMemoryStreamManager Manager = CreateManager();

    public static RecyclableMemoryStreamManager CreateManager() => new(new RecyclableMemoryStreamManager.Options
    {
        AggressiveBufferReturn = true,
        MaximumSmallPoolFreeBytes = MaxFreeBytes,
        MaximumLargePoolFreeBytes = MaxFreeBytes,
    });

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static long WriteAndRead(RecyclableMemoryStream stream, int length)
    {
        var chunk = Chunks.Next(length);
        for (var left = length; left > 0; left -= chunk.Length)
        {
            stream.Write(chunk[..Math.Min(left, chunk.Length)]);
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

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Advance(RecyclableMemoryStream stream, int length)
    {
        for (var left = length; left > 0;)
        {
            var span = stream.GetSpan();
            var count = Math.Min(left, span.Length);
            span[..count].Fill(1);
            stream.Advance(count);
            left -= count;
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Advance(PooledStream stream, int length)
    {
        for (var left = length; left > 0;)
        {
            var span = stream.GetSpan();
            var count = Math.Min(left, span.Length);
            span[..count].Fill(1);
            stream.Advance(count);
            left -= count;
        }
    }
}

internal readonly struct RecyclableStream<TLength> : IOperation
    where TLength : struct, IStreamLength
{
    public static int PairsPerCall => StreamUse.PairsPerCall<TLength>();

    public static void Run(int pairs)
    {
        for (var i = 0; i < pairs; i++)
        {
            using var stream = RecyclableUse.Manager.GetStream();
            RecyclableUse.WriteAndRead(stream, TLength.Value);
        }
    }
}

internal readonly struct RecyclableStreamByOneWrite<TLength> : IOperation
    where TLength : struct, IStreamLength
{
    public static int PairsPerCall => StreamUse.PairsPerCall<TLength>();

    public static void Run(int pairs)
    {
        for (var i = 0; i < pairs; i++)
        {
            using var stream = RecyclableUse.Manager.GetStream();
            stream.Write(Chunks.NextWhole(TLength.Value));
        }
    }
}

internal readonly struct RentedStreamByOneWrite<TLength> : IOperation
    where TLength : struct, IStreamLength
{
    public static int PairsPerCall => StreamUse.PairsPerCall<TLength>();

    public static void Run(int pairs)
    {
        for (var i = 0; i < pairs; i++)
        {
            using var stream = StreamPool.Shared.Rent();
            stream.Write(Chunks.NextWhole(TLength.Value));
        }
    }
}

internal readonly struct RecyclableStreamBySpans<TLength> : IOperation
    where TLength : struct, IStreamLength
{
    public static int PairsPerCall => StreamUse.PairsPerCall<TLength>();

    public static void Run(int pairs)
    {
        for (var i = 0; i < pairs; i++)
        {
            using var stream = RecyclableUse.Manager.GetStream();
            RecyclableUse.Advance(stream, TLength.Value);
        }
    }
}

internal readonly struct RentedStreamBySpans<TLength> : IOperation
    where TLength : struct, IStreamLength
{
    public static int PairsPerCall => StreamUse.PairsPerCall<TLength>();

    public static void Run(int pairs)
    {
        for (var i = 0; i < pairs; i++)
        {
            using var stream = StreamPool.Shared.Rent();
            RecyclableUse.Advance(stream, TLength.Value);
        }
    }
}
