using System.Text.Json;

namespace Poolhouse.Samples.HelloPools;

internal static class BufferWriters
{
    public static void Show()
    {
        Console.WriteLine("== Buffer writers");
        WriteJson();
        HandOver();
    }

    private static void WriteJson()
    {
        // snippet: writer
        using var buffer = new PooledBufferWriter<byte>();
        using (var json = new Utf8JsonWriter(buffer))
        {
            json.WriteStartObject();
            json.WriteString("name", "Ada");
            json.WriteEndObject();
        }

        Console.WriteLine($"{buffer.WrittenCount} bytes of JSON.");
        // end snippet
    }

    private static void HandOver()
    {
        // snippet: writer-detach
        using var writer = new PooledBufferWriter<char>();
        "handed over without a copy".CopyTo(writer.GetSpan(64));
        writer.Advance(26);

        using BufferLease<char> written = writer.DetachBuffer(); // the writer is done; the lease returns the array
        Console.WriteLine(written.Span.ToString());
        // end snippet
    }
}
