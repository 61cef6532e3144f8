using System.Buffers;

namespace Poolhouse.Samples.HelloPools;

internal static class StreamMigration
{
    public static void Show()
    {
        Console.WriteLine("== From other streams");
        FromMemoryStream();
        FromManager();
    }

    private static void FromMemoryStream()
    {
        // snippet: from-memorystream
        using var stream = StreamPool.Shared.Rent("invoice"); // was: new MemoryStream()
        using (var writer = new StreamWriter(stream, leaveOpen: true))
        {
            writer.Write("to be sent");
        }

        Send(stream.WrittenSequence); // was: Send(stream.ToArray())
        // end snippet
    }

    private static void FromManager()
    {
        var incoming = "five!"u8;

        // snippet: from-manager
        // was: new RecyclableMemoryStreamManager()
        using var streams = new StreamPool(new StreamPoolOptions { Name = "uploads" });

        using var empty = streams.GetStream("upload", requiredSize: 4096); // as before
        using var filled = streams.GetStream("upload", incoming);          // as before: a copy, at position 0
        // end snippet

        Console.WriteLine($"Room for {empty.Capacity} bytes, {filled.Length} bytes to read.");
    }

    private static void Send(ReadOnlySequence<byte> bytes) => Console.WriteLine($"{bytes.Length} bytes sent.");
}
