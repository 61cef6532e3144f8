using System.Buffers;
using System.IO.Compression;
using System.Text.Json;

namespace Poolhouse.Samples.HelloPools;

internal static class StreamContents
{
    private static readonly string[] _cups = ["espresso", "mocha", "tea"];

    public static async Task ShowAsync()
    {
        Console.WriteLine("== What is in a stream");
        WriteJson();
        await PipeAsync();
        InPlace();
        HandOver();
        SeveralReaders();
        Factory();
        Compress();
    }

    private static void WriteJson()
    {
        // snippet: stream-writer
        using var stream = StreamPool.Shared.Rent("order");
        using (var json = new Utf8JsonWriter((IBufferWriter<byte>)stream)) // into the blocks, not through a buffer
        {
            json.WriteStartObject();
            json.WriteString("cup", "mocha");
            json.WriteEndObject();
        }

        Console.WriteLine($"{stream.Length} bytes of JSON in a stream.");
        // end snippet
    }

    private static async Task PipeAsync()
    {
        // snippet: stream-pipes
        using var stream = StreamPool.Shared.Rent("cups");
        await JsonSerializer.SerializeAsync(stream.AsPipeWriter(), _cups);

        stream.Position = 0;
        var cups = await JsonSerializer.DeserializeAsync<string[]>(stream.AsPipeReader());
        Console.WriteLine($"{cups!.Length} cups through a pipe.");
        // end snippet
    }

    private static void InPlace()
    {
        using var stream = StreamPool.Shared.Rent();
        stream.Write("GET /cups HTTP/1.1\r\n"u8);

        // snippet: stream-sequence
        var line = new SequenceReader<byte>(stream.WrittenSequence); // the whole content, in place
        line.TryReadTo(out ReadOnlySequence<byte> verb, (byte)' ');
        Console.WriteLine($"A verb of {verb.Length} bytes.");
        // end snippet
    }

    private static void HandOver()
    {
        // snippet: stream-detach
        using PooledSequence report = Render(); // mine to dispose

        foreach (var block in report.Sequence)
        {
            Console.WriteLine($"A block with {block.Length} bytes.");
        }

        static PooledSequence Render()
        {
            using var stream = StreamPool.Shared.Rent("report");
            stream.Write("handed over, not copied"u8);
            return stream.DetachBuffer(); // disposes the stream; the blocks are not returned
        }

        // end snippet

        using var text = new StreamReader(new SequenceStream(report.Sequence)); // reads any ReadOnlySequence<byte>
        Console.WriteLine(text.ReadToEnd());
    }

    private static void SeveralReaders()
    {
        using var stream = StreamPool.Shared.Rent("table");
        stream.Write("0123456789"u8);

        Span<byte> four = stackalloc byte[4];
        stream.ReadAt(3, four); // without Position: safe from several threads while none moves it or changes the stream

        using var first = stream.AsReadOnly(); // a position of its own
        using var second = stream.AsReadOnly();
        second.Position = 5;
        Console.WriteLine($"{four[0] - '0'}, {first.ReadByte() - '0'} and {second.ReadByte() - '0'}.");
    }

    private static void Factory()
    {
        // snippet: stream-factory
        var archive = new Archive(StreamPool.Shared.AsFactory("archive")); // was: new Archive(() => new MemoryStream())
        // end snippet

        using var zip = archive.Pack(_cups);
        Console.WriteLine($"{_cups.Length} files in an archive: {zip.Length > 0}.");
    }

    private static void Compress()
    {
        using var packed = StreamPool.Shared.Rent("packed");
        using (var gzip = new GZipStream(packed, CompressionLevel.Fastest, leaveOpen: true))
        {
            gzip.Write(new byte[100_000]);
        }

        packed.Position = 0; // and so it can be sent, with its length known
        Console.WriteLine($"100000 bytes are less than 1000 now: {packed.Length < 1000}.");
    }
}
