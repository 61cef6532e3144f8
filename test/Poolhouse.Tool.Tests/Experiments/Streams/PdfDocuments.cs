using PdfSharp.Pdf.IO;
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
        var pages = await PagesOfAsync(folder, path);

        await AssertValidAsync(folder, Reorder(PdfInput.Read(path)), PdfReordering.PagesLeft(pages));

        var lastKept = pages % 4 == 0 ? pages - 1 : pages;
        Assert.Equal(await TextOfAsync(folder, path, lastKept), await TextOfAsync(folder, folder.At("reordered.pdf"), page: 1));
    }

    [Theory]
    [InlineData("")]
    [InlineData("no PDF")]
    [InlineData("startxref\n5000\n%%EOF")]
    [InlineData("%PDF-1.7\nstartxref\n5000\n%%EOF")]
    [InlineData("%PDF-1.7\nxref\n0 0\ntrailer << /Root 1 0 R >>\nstartxref\n9\n%%EOF")]
    public void Unreadable_files_are_rejected(string text)
    {
        using var folder = new TemporaryFolder();
        var path = folder.Write("file.pdf", text);

        var refusal = Assert.Throws<UsageException>(() => PdfInput.Read(path));

        Assert.Contains(path, refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Every_rival_saves_the_same_amount()
    {
        var contenders = new PdfPageOrder().Plan(new BenchPlan(Quick: true, [1], 1, Input: null))[0].Contenders;

        long[] sums = [.. contenders.Select(Samples.SumOf)];

        Assert.Equal(
            [RivalNames.NoPool, RivalNames.Poolhouse, RivalNames.Recyclable],
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

    private static List<int> WidthsOf(byte[] document)
    {
        using var stream = new MemoryStream(document);
        using var file = PdfReader.Open(stream, PdfDocumentOpenMode.Import);
        return [.. Enumerable.Range(0, file.PageCount).Select(page => (int)file.Pages[page].Width.Point)];
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
