using System.Runtime.CompilerServices;

namespace Poolhouse.Benchmarks.Bars;

// Here as well the loops repeat each other on purpose: each contender's is written out over its own type.

internal interface IStreamLength
{
    static abstract int Value { get; }
}

internal readonly struct Bytes100 : IStreamLength
{
    public static int Value => 100;
}

internal readonly struct KiB1 : IStreamLength
{
    public static int Value => 1 << 10;
}

internal readonly struct KiB4 : IStreamLength
{
    public static int Value => 4 << 10;
}

internal readonly struct KiB16 : IStreamLength
{
    public static int Value => 16 << 10;
}

internal readonly struct KiB64 : IStreamLength
{
    public static int Value => 64 << 10;
}

internal readonly struct KiB256 : IStreamLength
{
    public static int Value => 256 << 10;
}

internal readonly struct MiB1 : IStreamLength
{
    public static int Value => 1 << 20;
}

internal readonly struct MiB8 : IStreamLength
{
    public static int Value => 8 << 20;
}

/// <summary>What is done with a stream: written in chunks of 4 KiB, rewound, and read in such chunks; or written only.</summary>
internal static class StreamUse
{
    private const int BytesPerWrite = 6;

    /// <summary>A call uses enough streams for 4 MiB.</summary>
    public static int PairsPerCall<TLength>()
        where TLength : struct, IStreamLength => Math.Clamp((4 << 20) / TLength.Value, 1, Timing.PairsPerCall);

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static long WriteAndRead(MemoryStream stream, int length)
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
    public static long WriteAndRead(PooledStream stream, int length)
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
    public static void WriteBytes(MemoryStream stream, int length)
    {
        for (var i = 0; i < length; i++)
        {
            stream.WriteByte((byte)i);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void WriteBytes(PooledStream stream, int length)
    {
        for (var i = 0; i < length; i++)
        {
            stream.WriteByte((byte)i);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void WriteSmall(MemoryStream stream, int length)
    {
        for (var i = 0; i < length; i += BytesPerWrite)
        {
            stream.Write("pooled"u8);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void WriteSmall(PooledStream stream, int length)
    {
        for (var i = 0; i < length; i += BytesPerWrite)
        {
            stream.Write("pooled"u8);
        }
    }
}

internal readonly struct MemoryStreams<TLength> : IOperation
    where TLength : struct, IStreamLength
{
    public static int PairsPerCall => StreamUse.PairsPerCall<TLength>();

    public static void Run(int pairs)
    {
        for (var i = 0; i < pairs; i++)
        {
            using var stream = new MemoryStream();
            StreamUse.WriteAndRead(stream, TLength.Value);
        }
    }
}

internal readonly struct RentedStream<TLength> : IOperation
    where TLength : struct, IStreamLength
{
    public static int PairsPerCall => StreamUse.PairsPerCall<TLength>();

    public static void Run(int pairs)
    {
        for (var i = 0; i < pairs; i++)
        {
            using var stream = StreamPool.Shared.Rent();
            StreamUse.WriteAndRead(stream, TLength.Value);
        }
    }
}

internal readonly struct MemoryStreamsOfKnownLength<TLength> : IOperation
    where TLength : struct, IStreamLength
{
    public static int PairsPerCall => StreamUse.PairsPerCall<TLength>();

    public static void Run(int pairs)
    {
        for (var i = 0; i < pairs; i++)
        {
            using var stream = new MemoryStream(TLength.Value);
            StreamUse.WriteAndRead(stream, TLength.Value);
        }
    }
}

internal readonly struct RentedStreamOfKnownLength<TLength> : IOperation
    where TLength : struct, IStreamLength
{
    public static int PairsPerCall => StreamUse.PairsPerCall<TLength>();

    public static void Run(int pairs)
    {
        for (var i = 0; i < pairs; i++)
        {
            using var stream = StreamPool.Shared.Rent(sizeHint: TLength.Value);
            StreamUse.WriteAndRead(stream, TLength.Value);
        }
    }
}

internal readonly struct WriteByteOfMemory<TLength> : IOperation
    where TLength : struct, IStreamLength
{
    public static int PairsPerCall => StreamUse.PairsPerCall<TLength>();

    public static void Run(int pairs)
    {
        for (var i = 0; i < pairs; i++)
        {
            using var stream = new MemoryStream();
            StreamUse.WriteBytes(stream, TLength.Value);
        }
    }
}

internal readonly struct WriteByteOfPooled<TLength> : IOperation
    where TLength : struct, IStreamLength
{
    public static int PairsPerCall => StreamUse.PairsPerCall<TLength>();

    public static void Run(int pairs)
    {
        for (var i = 0; i < pairs; i++)
        {
            using var stream = StreamPool.Shared.Rent();
            StreamUse.WriteBytes(stream, TLength.Value);
        }
    }
}

internal readonly struct SmallWritesOfMemory<TLength> : IOperation
    where TLength : struct, IStreamLength
{
    public static int PairsPerCall => StreamUse.PairsPerCall<TLength>();

    public static void Run(int pairs)
    {
        for (var i = 0; i < pairs; i++)
        {
            using var stream = new MemoryStream();
            StreamUse.WriteSmall(stream, TLength.Value);
        }
    }
}

internal readonly struct SmallWritesOfPooled<TLength> : IOperation
    where TLength : struct, IStreamLength
{
    public static int PairsPerCall => StreamUse.PairsPerCall<TLength>();

    public static void Run(int pairs)
    {
        for (var i = 0; i < pairs; i++)
        {
            using var stream = StreamPool.Shared.Rent();
            StreamUse.WriteSmall(stream, TLength.Value);
        }
    }
}
