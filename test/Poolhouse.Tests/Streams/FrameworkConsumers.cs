using System.Globalization;
using System.IO.Compression;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;
using System.Xml;

namespace Poolhouse.Tests.Streams;

/// <summary>Framework classes that use a stream write the same bytes to a pooled stream as to a MemoryStream.</summary>
public sealed class FrameworkConsumers
{
    private static readonly string[] _lines =
        [.. Enumerable.Range(0, 400).Select(i => string.Create(CultureInfo.InvariantCulture, $"line {i} of {i * i} äöü"))];

    private readonly StreamPool _pool = StreamPools.Make();

    [Fact]
    public void A_text_writer_and_a_text_reader() => AssertSame(stream =>
    {
        using (var writer = new StreamWriter(stream, leaveOpen: true))
        {
            Array.ForEach(_lines, writer.WriteLine);
        }

        stream.Position = 0;
        using var reader = new StreamReader(stream, leaveOpen: true);
        Assert.Equal(_lines, reader.ReadToEnd().Split(Environment.NewLine, StringSplitOptions.RemoveEmptyEntries));
    });

    [Fact]
    public void A_binary_writer_that_seeks_back_to_fill_in_lengths() => AssertSame(stream =>
    {
        using (var writer = new BinaryWriter(stream, Encoding.UTF8, leaveOpen: true))
        {
            foreach (var line in _lines)
            {
                var start = stream.Position;
                writer.Write(0);
                writer.Write(line);
                var end = stream.Position;
                stream.Position = start;
                writer.Write((int)(end - start));
                stream.Position = end;
            }
        }

        stream.Position = 0;
        using var reader = new BinaryReader(stream, Encoding.UTF8, leaveOpen: true);
        foreach (var line in _lines)
        {
            reader.ReadInt32();
            Assert.Equal(line, reader.ReadString());
        }
    });

    [Fact]
    public void Compression_and_decompression() => AssertSame(stream =>
    {
        using (var zip = new GZipStream(stream, CompressionLevel.Fastest, leaveOpen: true))
        {
            zip.Write(Encoding.UTF8.GetBytes(string.Concat(_lines)));
        }

        stream.Position = 0;
        using var unzip = new GZipStream(stream, CompressionMode.Decompress, leaveOpen: true);
        using var reader = new StreamReader(unzip);
        Assert.Equal(string.Concat(_lines), reader.ReadToEnd());
    });

    [Fact]
    public void An_archive_that_is_created_and_updated_in_place() => AssertSame(stream =>
    {
        using (var archive = new ZipArchive(stream, ZipArchiveMode.Create, leaveOpen: true))
        {
            for (var i = 0; i < 5; i++)
            {
                Add(archive, i, _lines[i * 10]);
            }
        }

        using (var archive = new ZipArchive(stream, ZipArchiveMode.Update, leaveOpen: true))
        {
            archive.GetEntry("entry 1")!.Delete();
            archive.GetEntry("entry 3")!.Delete();
            Add(archive, 7, string.Concat(_lines));
        }

        using var read = new ZipArchive(stream, ZipArchiveMode.Read, leaveOpen: true);
        Assert.Equal(["entry 0", "entry 2", "entry 4", "entry 7"], read.Entries.Select(entry => entry.Name));
    });

    [Fact]
    public void Json_and_xml() => AssertSame(stream =>
    {
        JsonSerializer.Serialize(stream, _lines);
        stream.Position = 0;
        Assert.Equal(_lines, JsonSerializer.Deserialize<string[]>(stream));
        using var xml = XmlWriter.Create(stream, new XmlWriterSettings { CloseOutput = false });
        xml.WriteStartElement("lines");
        foreach (var line in _lines)
        {
            xml.WriteElementString("line", line);
        }

        xml.WriteEndElement();
    });

    [Fact]
    public void A_hash_and_an_intermediate_buffer() => AssertSame(stream =>
    {
        using (var buffered = new BufferedStream(stream, 100))
        {
            foreach (var line in _lines)
            {
                buffered.Write(Encoding.UTF8.GetBytes(line));
            }

            buffered.Flush();
            stream.Position = 0;
            var hash = SHA256.HashData(stream);
            stream.Write(hash);
            buffered.Position = 10;
            buffered.WriteByte(1);
            buffered.Flush();
            using var copy = new MemoryStream();
            stream.Position = 0;
            stream.CopyTo(copy);
            Assert.Equal(stream.Length, copy.Length);
        }

        Assert.False(stream.CanRead);
    });

    private static void Add(ZipArchive archive, int number, string text)
    {
        var entry = archive.CreateEntry(string.Create(CultureInfo.InvariantCulture, $"entry {number}"));
        entry.LastWriteTime = new DateTimeOffset(2000, 1, 1, 0, 0, 0, TimeSpan.Zero);
        using var writer = new StreamWriter(entry.Open());
        writer.Write(text);
    }

    private void AssertSame(Action<Stream> use)
    {
        using var expected = new MemoryStream();
        using var actual = _pool.Rent();
        use(expected);
        use(actual);
        if (expected.CanRead)
        {
            Assert.Equal(expected.ToArray(), actual.ToArray());
            Assert.Equal(expected.Position, actual.Position);
        }
    }
}
