using System.Buffers;
using Poolhouse.Testing;

namespace Poolhouse.Samples.PoolTests;

internal static class Leaks
{
    public static void Find()
    {
        // snippet: leak-scope
        using var leaks = new LeakScope();
        using var pool = new TieredArrayPool<byte>(new ArrayPoolOptions { Name = "frames" });
        var frame = pool.Rent(4096);
        var text = ArrayPool<char>.Shared.Rent(100);
        foreach (var leak in leaks.FindLeaks())
        {
            Console.WriteLine(leak); // what, how long ago, and the call stack of the rent
        }

        pool.Return(frame);
        ArrayPool<char>.Shared.Return(text);
        // end snippet
        Console.WriteLine($"{leaks.FindLeaks().Count} leaks at the end.");
    }
}
