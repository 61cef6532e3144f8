using PdfSharp.Drawing;
using PdfSharp.Pdf;
using PdfSharp.Pdf.IO;
using Poolhouse.Tool.Bench;
using Poolhouse.Tool.Bench.Streams.Pdf;

namespace Poolhouse.Tool.Tests.Experiments.Streams;

public sealed class PdfDocuments
{
    // Two of 32 digits in the trailer, two of 36 in the metadata.
    private const int MostDigitsOfIds = 200;

    [Fact]
    public void The_sample_has_40_pages_and_some_850_KB()
    {
        using var stream = new MemoryStream(PdfSample.Bytes);
        using var document = PdfReader.Open(stream, PdfDocumentOpenMode.Import);

        Assert.Equal(40, document.PageCount);
        Assert.InRange(PdfSample.Bytes.Length, 830_000, 870_000);
    }

    [Fact]
    public void The_sample_is_deterministic_except_for_its_ids()
    {
        var (one, other) = (PdfSample.Make(), PdfSample.Make());

        Assert.Equal(one.Length, other.Length);
        Assert.InRange(one.Zip(other).Count(pair => pair.First != pair.Second), 0, MostDigitsOfIds);
    }

    [Fact]
    public void Pages_are_reversed_and_every_fourth_is_removed()
    {
        using var document = new MemoryStream(WithPagesOfWidth(101, 102, 103, 104, 105, 106, 107, 108, 109));
        using var copy = new MemoryStream();
        using var saved = new MemoryStream();

        var length = PdfReordering.Reorder(document, copy, saved);

        Assert.Equal(saved.Length, length);
        Assert.Equal(document.ToArray(), copy.ToArray());
        saved.Position = 0;
        using var result = PdfReader.Open(saved, PdfDocumentOpenMode.Import);
        Assert.Equal(
            [109, 107, 106, 105, 103, 102, 101], result.Pages.Cast<PdfPage>().Select(page => (int)page.Width.Point));
    }

    [Fact]
    public void Every_rival_saves_the_same_amount()
    {
        var contenders = new PdfPageOrder().Plan(new BenchPlan(Quick: true, [1], 1, Input: null))[0].Contenders;

        long[] sums = [.. contenders.Select(Samples.SumOf)];

        Assert.Equal([RivalNames.NoPool, RivalNames.Poolhouse, RivalNames.PoolhouseLease], contenders.Select(contender => contender.Rival));
        Assert.True(sums[0] > 500_000);
        Assert.All(sums, sum => Assert.Equal(sums[0], sum));
    }

    private static byte[] WithPagesOfWidth(params int[] widths)
    {
        PdfLicense.Choose();
        using var document = new PdfDocument();
        foreach (var width in widths)
        {
            document.AddPage().Width = XUnit.FromPoint(width);
        }

        using var output = new MemoryStream();
        document.Save(output, closeStream: false);
        return output.ToArray();
    }
}
