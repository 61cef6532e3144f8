using System.Text;
using Poolhouse.Tool.Bench;
using Poolhouse.Tool.Bench.Streams.Pdf;
using Poolhouse.Tool.Servers;

namespace Poolhouse.Tool.Tests.Experiments.Streams;

/// <summary>The page reorderer of the PDF experiment, whose output is verified with qpdf and Poppler.</summary>
public sealed class PdfDocuments
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public void The_sample_has_40_pages_and_some_850_KB()
    {
        Assert.Equal(40, WidthsOf(PdfSample.Bytes).Count);
        Assert.InRange(PdfSample.Bytes.Length, 830_000, 890_000);
    }

    [Fact]
    public void The_sample_is_the_same_each_time() => Assert.Equal(PdfSample.Create([595, 595]), PdfSample.Create([595, 595]));

    [Fact]
    public void Pages_are_reversed_and_every_fourth_is_removed()
    {
        using var document = new MemoryStream(PdfSample.Create([101, 102, 103, 104, 105, 106, 107, 108, 109]));
        using var copy = new MemoryStream();
        using var saved = new MemoryStream();

        var length = PdfReordering.Reorder(document, copy, saved);

        Assert.Equal(saved.Length, length);
        Assert.Equal(document.ToArray(), copy.ToArray());
        Assert.Equal([109, 107, 106, 105, 103, 102, 101], WidthsOf(saved.ToArray()));
    }

    [Fact]
    public async Task Qpdf_and_Poppler_accept_the_reordered_sample()
    {
        using var folder = new TemporaryFolder();
        await AssertValidAsync(folder, Reorder(PdfSample.Bytes), pages: 30);
    }

    [Theory]
    [InlineData("/usr/share/doc/shared-mime-info/shared-mime-info-spec.pdf")]
    [InlineData("/usr/share/doc/libtasn1-doc/libtasn1.pdf")]
    public async Task Documents_of_other_programs_are_reordered(string path)
    {
        Assert.SkipUnless(File.Exists(path), $"{path} is not installed");
        using var folder = new TemporaryFolder();
        var plain = folder.At("plain.pdf");

        // Object streams are rejected, with a message that explains how to remove them.
        var refusal = Assert.Throws<UsageException>(() => PdfInput.Read(path));
        Assert.Contains("qpdf --object-streams=disable", refusal.Message, StringComparison.Ordinal);
        await RunAsync(folder, "qpdf", "--object-streams=disable", path, plain);
        var pages = await PagesOfAsync(folder, plain);

        await AssertValidAsync(folder, Reorder(PdfInput.Read(plain)), PdfReordering.PagesLeft(pages));

        var lastKept = pages % 4 == 0 ? pages - 1 : pages;
        Assert.Equal(await TextOfAsync(folder, plain, lastKept), await TextOfAsync(folder, folder.At("reordered.pdf"), page: 1));
    }

    [Fact]
    public void Inherited_attributes_references_and_comments_survive()
    {
        // A tree of two levels, whose upper node carries what its pages need; a stream whose length is an object of its own; a
        // string with parentheses and one that looks like a reference; a link to a page that is left out.
        var document = Document(
            "<< /Type /Catalog /Pages 2 0 R >>",
            "<< /Type /Pages /Count 4 /Kids [3 0 R 4 0 R] /MediaBox [0 0 77 88] /Rotate 90 >>",
            "<< /Type /Pages /Count 3 /Parent 2 0 R /Kids [5 0 R 6 0 R 7 0 R] /MediaBox [0 0 66 88] >>",
            "<< /Type /Page /Parent 2 0 R /Gone true >>",
            "<< /Type /Page /Parent 3 0 R /Contents 8 0 R /Note (a \\) ( 9 0 R ) b) >>",
            "<< /Type /Page /Parent 3 0 R % 9 0 R\n /Link 4 0 R /Other 5 0 R /Hex <39 30> >>",
            "<< /Type /Page /Parent 3 0 R /MediaBox [0 0 55 88] >>",
            "<< /Length 9 0 R >>\nstream\nendstream endobj\nendstream",
            "16");

        var text = Encoding.Latin1.GetString(Reorder(document));

        Assert.Equal([55, 66, 66], WidthsOf(Encoding.Latin1.GetBytes(text)));
        Assert.Contains("/Rotate 90", text, StringComparison.Ordinal);
        Assert.Contains("(a \\) ( 9 0 R ) b)", text, StringComparison.Ordinal);
        Assert.Contains("/Link null /Other 5 0 R", text, StringComparison.Ordinal);
        Assert.Contains("stream\nendstream endobj\nendstream", text, StringComparison.Ordinal);
        Assert.DoesNotContain("/Gone", text, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("no PDF", "does not end as a PDF file does")]
    [InlineData("startxref\n5000\n%%EOF", "points beyond the end")]
    [InlineData("xref\n0 3\n0000000000 65535 f \nstartxref\n0\n%%EOF", "cross-reference table has no end")]
    [InlineData("xref\n0 0\ntrailer << /Root 1 0 R /Encrypt 2 0 R >>\nstartxref\n0\n%%EOF", "encrypted")]
    [InlineData("xref\n0 0\ntrailer << /Root 1 0 R /XRefStm 9 >>\nstartxref\n0\n%%EOF", "qpdf --object-streams=disable")]
    [InlineData("xref\n0 0\ntrailer << /Prev 0 >>\nstartxref\n0\n%%EOF", "form a circle")]
    [InlineData("xref\n0 0\ntrailer << /Root 1 0 R >>\nstartxref\n0\n%%EOF", "names no pages")]
    [InlineData("xref\n1 1\n0000000000 00000 n \ntrailer << /Root 1 0 R >>\nstartxref\n0\n%%EOF", "Object 1 is not where")]
    public void Unreadable_files_are_rejected_with_the_reason(string text, string reason)
    {
        using var folder = new TemporaryFolder();
        var path = folder.Write("file.pdf", text);

        var refusal = Assert.Throws<UsageException>(() => PdfInput.Read(path));

        Assert.Contains(reason, refusal.Message, StringComparison.Ordinal);
        Assert.Contains(path, refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Damaged_files_are_rejected_or_reordered_but_never_crash()
    {
        var document = PdfSample.Create([101, 102, 103, 104, 105]);
#pragma warning disable CA5394 // Not a secret: it is to be the same each time.
        var random = new Random(7);
        for (var run = 0; run < 500; run++)
        {
            var damaged = document.AsSpan(0, random.Next(2) == 0 ? document.Length : random.Next(document.Length)).ToArray();
            for (var i = random.Next(20); i > 0 && damaged.Length > 0; i--)
            {
                // Near the end, where the tables are, or anywhere.
                var at = random.Next(2) == 0
                    ? random.Next(damaged.Length)
                    : damaged.Length - 1 - random.Next(Math.Min(900, damaged.Length));
                damaged[at] = (byte)random.Next(256);
            }
#pragma warning restore CA5394

            try
            {
                Reorder(damaged);
            }
            catch (InvalidDataException)
            {
                // It says what is wrong.
            }
        }
    }

    [Fact]
    public void Every_rival_saves_the_same_amount()
    {
        var contenders = new PdfPageOrder().Plan(new BenchPlan(Quick: true, [1], 1, Input: null))[0].Contenders;

        long[] sums = [.. contenders.Select(Samples.SumOf)];

        Assert.Equal(
            [RivalNames.NoPool, RivalNames.Poolhouse, RivalNames.PoolhouseLease, RivalNames.Recyclable],
            contenders.Select(contender => contender.Rival));
        Assert.True(sums[0] > 500_000);
        Assert.All(sums, sum => Assert.Equal(sums[0], sum));
    }

    private static byte[] Reorder(byte[] document)
    {
        using var input = new MemoryStream(document);
        using var copy = new MemoryStream();
        using var saved = new MemoryStream();
        PdfReordering.Reorder(input, copy, saved);
        return saved.ToArray();
    }

    /// <summary>A file of these objects, numbered from 1.</summary>
    private static byte[] Document(params string[] objects)
    {
        using var file = new MemoryStream();
        var writer = new PdfWriter(file);
        for (var i = 0; i < objects.Length; i++)
        {
            writer.Begin(i + 1);
            writer.Write(objects[i]);
            writer.End();
        }

        writer.Finish(root: 1);
        return file.ToArray();
    }

    private static List<int> WidthsOf(byte[] document)
    {
        using var stream = new MemoryStream(document);
        var reader = new PdfReader(stream);
        var pages = new PdfPages(reader);
        return [.. Enumerable.Range(0, pages.Count).Select(page =>
            int.Parse(
                Encoding.ASCII.GetString(PdfLexer.Find(reader.Read(pages.NumberOf(page)).Value, "/MediaBox"u8)).Split(' ')[2],
                System.Globalization.CultureInfo.InvariantCulture))];
    }

    private static async Task AssertValidAsync(TemporaryFolder folder, byte[] document, int pages)
    {
        var path = folder.At("reordered.pdf");
        await File.WriteAllBytesAsync(path, document, Token);

        await RunAsync(folder, "qpdf", "--check", path);
        Assert.Equal(pages, await PagesOfAsync(folder, path));
        await RunAsync(folder, "pdftoppm", "-r", "20", path, folder.At("page"));
        Assert.Equal(pages, Directory.GetFiles(folder.At(), "page*.ppm").Length);
    }

    private static async Task<int> PagesOfAsync(TemporaryFolder folder, string path) => int.Parse(
        await RunAsync(folder, "qpdf", "--show-npages", path), System.Globalization.CultureInfo.InvariantCulture);

    private static async Task<string> TextOfAsync(TemporaryFolder folder, string path, int page)
    {
        var number = page.ToString(System.Globalization.CultureInfo.InvariantCulture);
        return await RunAsync(folder, "pdftotext", "-f", number, "-l", number, path, "-");
    }

    private static async Task<string> RunAsync(TemporaryFolder folder, string program, params string[] arguments)
    {
        var path = ServerPrograms.Find(program);
        Assert.SkipUnless(path is not null, $"{program} is not installed");
        return await ServerCommand.RunAsync(folder.At(), [path!, .. arguments], Token);
    }
}
