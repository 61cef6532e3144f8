
namespace Poolhouse.Samples.HelloPools;

internal static class ExactBuffers
{
    public static void Show()
    {
        Console.WriteLine("== Exact buffers");

        // snippet: exact-buffer
        using var buffer = TieredArrayPool<byte>.Shared.RentExact(1000);
        buffer.Span.Fill(7);
        Console.WriteLine($"Asked for 1000 bytes, got {buffer.Length}.");
        // end snippet
    }
}
