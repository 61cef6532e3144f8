using Poolhouse.Tests.Buffers;

namespace Poolhouse.Tests.Streams;

/// <summary>Stream pools that only their test uses: their own array pool, and blocks so small that there are many.</summary>
internal static class StreamPools
{
    public const int FirstBlock = 16;
    public const int MaxBlock = 64;

    public static StreamPool Make(
        TieredArrayPool<byte>? arrays = null,
        int first = FirstBlock,
        int max = MaxBlock,
        Action<StreamPoolOptions>? change = null)
    {
        var options = new StreamPoolOptions
        {
            Arrays = arrays ?? Pools.Make<byte>(),
            FirstBlockSize = first,
            MaxBlockSize = max,
            IdleTimeout = Timeout.InfiniteTimeSpan,
            MemoryPressure = new MemoryPressureSource(),
        };
        change?.Invoke(options);
        return new StreamPool(options);
    }

    /// <summary>Bytes that are never zero.</summary>
    public static byte[] Bytes(int count, int start = 0)
    {
        var bytes = new byte[count];
        for (var i = 0; i < count; i++)
        {
            bytes[i] = (byte)(1 + ((start + i) % 251));
        }

        return bytes;
    }

    public static PooledStream RentWith(this StreamPool pool, byte[] content)
    {
        var stream = pool.Rent();
        stream.Write(content);
        return stream;
    }

    /// <summary>Leaves recognisable bytes in blocks of every length that small streams use.</summary>
    public static void FillWithBytes(this TieredArrayPool<byte> arrays, byte rest = 0xAB)
    {
        var rented = Enumerable.Range(4, 10).SelectMany(power => arrays.RentMany(20, 1 << power)).ToList();
        rented.ForEach(array => Array.Fill(array, rest));
        arrays.ReturnAll(rented);
    }
}
