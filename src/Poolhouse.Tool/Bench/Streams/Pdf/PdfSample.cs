using System.Globalization;
using System.Text;

namespace Poolhouse.Tool.Bench.Streams.Pdf;

/// <summary>
/// A document of 40 pages and about 850 KB, the same each time: on each page a picture that does not compress, and lines.
/// </summary>
internal static class PdfSample
{
    public const int Pages = 40;

    private const int Seed = 40;
    private const int PictureWidth = 84;
    private const int PictureHeight = 80;
    private const int LinesPerPage = 40;
    private const int PageWidth = 595;
    private const int PageHeight = 842;
    private const int ObjectsPerPage = 3;
    private const int FirstPage = 3;

    private static readonly Lazy<byte[]> _bytes = new(() => Create(Enumerable.Repeat(PageWidth, Pages)));

    public static byte[] Bytes => _bytes.Value;

    /// <summary>Creates a document with a page of each width, in points.</summary>
    internal static byte[] Create(IEnumerable<int> widths)
    {
#pragma warning disable CA5394 // Not a secret: it is to be the same each time.
        var random = new Random(Seed);
#pragma warning restore CA5394
        using var file = new MemoryStream();
        var writer = new PdfWriter(file);
        var kids = new StringBuilder();
        var count = 0;
        foreach (var width in widths)
        {
            var page = FirstPage + (ObjectsPerPage * count);
            WriteObject(writer, page, Text(
                $"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width} {PageHeight}] /Contents {page + 1} 0 R /Resources << /XObject << /Picture {page + 2} 0 R >> >> >>"));
            WriteStream(writer, page + 1, "", Encoding.ASCII.GetBytes(Drawing(random)));
            WriteStream(
                writer,
                page + 2,
                Text($"/Type /XObject /Subtype /Image /Width {PictureWidth} /Height {PictureHeight} /ColorSpace /DeviceRGB /BitsPerComponent 8 "),
                Noise(random));
            kids.Append(Text($" {page} 0 R"));
            count++;
        }

        WriteObject(writer, 1, "<< /Type /Catalog /Pages 2 0 R >>");
        WriteObject(writer, 2, Text($"<< /Type /Pages /Count {count} /Kids [{kids} ] >>"));
        writer.Finish(root: 1);
        return file.ToArray();
    }

    private static void WriteObject(PdfWriter writer, int number, string value)
    {
        writer.Begin(number);
        writer.Write(value);
        writer.End();
    }

    private static void WriteStream(PdfWriter writer, int number, string attributes, byte[] bytes)
    {
        writer.Begin(number);
        writer.Write(Text($"<< {attributes}/Length {bytes.Length} >>"));
        writer.BeginStream();
        writer.Write(bytes);
        writer.EndStream();
        writer.End();
    }

#pragma warning disable CA5394 // As above.
    private static string Drawing(Random random)
    {
        var text = new StringBuilder("q 200 0 0 200 50 50 cm /Picture Do Q\n");
        for (var i = 0; i < LinesPerPage; i++)
        {
            text.Append(Text(
                $"{random.Next(PageWidth)} {random.Next(PageHeight)} m {random.Next(PageWidth)} {random.Next(PageHeight)} l S\n"));
        }

        return text.ToString();
    }

    private static byte[] Noise(Random random)
    {
        var pixels = new byte[PictureWidth * PictureHeight * 3];
        random.NextBytes(pixels);
        return pixels;
    }
#pragma warning restore CA5394

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
