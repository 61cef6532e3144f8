using System.Buffers;
using System.Security.Cryptography;

namespace Poolhouse.Samples.HelloPools;

internal static class ArrayPools
{
    public static void Show()
    {
        Console.WriteLine("== Array pools");
        RentAndReturn();
        DropIn();
        OwnPool();
        Secrets();
    }

    private static void RentAndReturn()
    {
        // snippet: array-pool
        var pool = TieredArrayPool<byte>.Shared;

        var bytes = pool.Rent(1000);
        Console.WriteLine($"Asked for 1000 bytes, got {bytes.Length}.");
        pool.Return(bytes);
        // end snippet
    }

    private static void DropIn()
    {
        // snippet: array-drop-in
        ArrayPool<char> pool = TieredArrayPool<char>.Shared; // was: ArrayPool<char>.Shared
        // end snippet

        var chars = pool.Rent(20);
        Console.WriteLine($"{chars.Length} characters through ArrayPool<char>.");
        pool.Return(chars);
    }

    private static void OwnPool()
    {
        // snippet: array-options
        using var pool = new TieredArrayPool<int>(new ArrayPoolOptions { Name = "samples", MaxRetainedBytes = 16 << 20 });
        // end snippet

        pool.Return(pool.Rent(100));
        Console.WriteLine($"{pool.Name} retains {pool.GetStatistics().RetainedBytes} of {pool.MaxRetainedBytes} bytes.");
    }

    private static void Secrets()
    {
        // snippet: sensitive
        using var keys = new TieredArrayPool<byte>(new ArrayPoolOptions { Name = "keys", Clear = ClearPolicy.Sensitive });

        var key = keys.RentExact(32);
        RandomNumberGenerator.Fill(key.Span);
        key.Dispose(); // overwritten before it is rented again

        using var next = keys.RentExact(32);
        Console.WriteLine($"The next key buffer is zero: {!next.Span.ContainsAnyExcept((byte)0)}.");
        // end snippet
    }
}
