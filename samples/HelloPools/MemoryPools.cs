using System.Buffers;

namespace Poolhouse.Samples.HelloPools;

internal static class MemoryPools
{
    public static void Show()
    {
        Console.WriteLine("== Memory pools");

        // snippet: memory-pool
        MemoryPool<byte> pool = TieredMemoryPool<byte>.Shared; // was: MemoryPool<byte>.Shared

        using IMemoryOwner<byte> owner = pool.Rent(1000);
        Console.WriteLine($"Memory of {owner.Memory.Length} bytes.");
        // end snippet
    }
}
