using System.Buffers;
using System.Text;

namespace Poolhouse.Samples.NativeAot;

internal static class Buffers
{
    public static string Use()
    {
        var seen = new StringBuilder();
        Arrays(seen);
        Memory(seen);
        Writer(seen);
        return seen.ToString();
    }

    private static void Arrays(StringBuilder seen)
    {
        using var pool = new TieredArrayPool<byte>(
            new ArrayPoolOptions { Name = "bytes", MaxRetainedBytes = 1 << 20, Clear = ClearPolicy.Sensitive });
        var bytes = pool.Rent(100);
        bytes.AsSpan().Fill(9);
        pool.Return(bytes);

        using BufferLease<byte> exact = pool.RentExact(100);
        seen.Append(bytes.Length).Append(exact.Length).Append(exact.Span[0]);
    }

    private static void Memory(StringBuilder seen)
    {
        using var pool = new TieredMemoryPool<int>(reuseOwners: true);
        using IMemoryOwner<int> owner = pool.Rent(10);
        owner.Memory.Span[9] = 42;
        seen.Append(owner.Memory.Length).Append(owner.Memory.Span[9]);
    }

    private static void Writer(StringBuilder seen)
    {
        using var writer = new PooledBufferWriter<char>(initialCapacity: 1);
        for (var i = 0; i < 100; i++)
        {
            writer.GetSpan()[0] = (char)('a' + (i % 26));
            writer.Advance(1);
        }

        seen.Append(writer.WrittenSpan);
    }
}
