using System.Buffers.Binary;
using PdfSharp.Drawing;
using PdfSharp.Pdf;

namespace Poolhouse.Tool.Bench.Streams.Pdf;

/// <summary>A document of 40 pages and some 850 KB: on each page a picture that does not compress, and lines. It is the same each
/// time, but for the ids that PDFsharp gives it.</summary>
// No text, which would need a font, and machines without a screen have none.
internal static class PdfSample
{
    public const int Pages = 40;

    private const int Seed = 40;
    private const int PictureWidth = 84;
    private const int PictureHeight = 80;
    private const int LinesPerPage = 40;
    private const double Margin = 50;
    private const double PictureSide = 200;

    private static readonly DateTime _made = new(2026, 1, 1, 0, 0, 0, DateTimeKind.Utc);
    private static readonly Lazy<byte[]> _bytes = new(Make);

    public static byte[] Bytes => _bytes.Value;

    internal static byte[] Make()
    {
#pragma warning disable CA5394 // Not a secret: it is to be the same each time.
        var random = new Random(Seed);
#pragma warning restore CA5394
        PdfLicense.Choose();
        using var document = new PdfDocument();
        document.Options.CompressContentStreams = true;
        document.Info.CreationDate = _made;
        document.Info.ModificationDate = _made;
        for (var i = 0; i < Pages; i++)
        {
            Draw(document.AddPage(), random);
        }

        using var output = new MemoryStream();
        document.Save(output, closeStream: false);
        return output.ToArray();
    }

    private static void Draw(PdfPage page, Random random)
    {
        using var graphics = XGraphics.FromPdfPage(page);
        using var bytes = new MemoryStream(PictureOf(random));
        using var picture = XImage.FromStream(bytes);
        graphics.DrawImage(picture, Margin, Margin, PictureSide, PictureSide);
        for (var i = 0; i < LinesPerPage; i++)
        {
            graphics.DrawLine(XPens.Black, PointOn(page, random), PointOn(page, random));
        }
    }

#pragma warning disable CA5394 // As above.
    private static XPoint PointOn(PdfPage page, Random random) =>
        new(random.NextDouble() * page.Width.Point, random.NextDouble() * page.Height.Point);

    /// <summary>A bitmap file of noise, 24 bits a pixel.</summary>
    private static byte[] PictureOf(Random random)
    {
        const int HeadLength = 54;
        const int InfoLength = 40;
        const int PixelsPerMetre = 2835;
        const int Row = ((PictureWidth * 3) + 3) / 4 * 4;
        var file = new byte[HeadLength + (Row * PictureHeight)];
        random.NextBytes(file.AsSpan(HeadLength));
        "BM"u8.CopyTo(file);
        Write(2, file.Length);
        Write(10, HeadLength);
        Write(14, InfoLength);
        Write(18, PictureWidth);
        Write(22, PictureHeight);
        Write(26, 1 | (24 << 16)); // one plane, 24 bits
        Write(34, Row * PictureHeight);
        Write(38, PixelsPerMetre);
        Write(42, PixelsPerMetre);
        return file;

        void Write(int at, int value) => BinaryPrimitives.WriteInt32LittleEndian(file.AsSpan(at), value);
    }
#pragma warning restore CA5394
}
