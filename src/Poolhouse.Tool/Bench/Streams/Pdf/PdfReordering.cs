using PdfSharp.Pdf;
using PdfSharp.Pdf.IO;
using Poolhouse.Tool.Bench.Streams.Sources;
using Poolhouse.Tool.Bench.Streams.Work;

namespace Poolhouse.Tool.Bench.Streams.Pdf;

/// <summary>
/// Copies a document into a stream, takes its pages in reverse and without every fourth, and saves them to another stream.
/// </summary>
internal static class PdfReordering
{
    private const int Removed = 4;

    /// <summary>The pages that are left of so many.</summary>
    public static int PagesLeft(int pages) => pages - (pages / Removed);

    /// <returns>The length of what was saved; 0 if the document has no pages.</returns>
    public static long Run<TSource, THeld>(TSource source, byte[] document)
        where TSource : struct, IStreamSource<THeld>
    {
        using var input = new ChunkSource(document);
        var copy = source.Take(length: 0);
        var saved = source.Take(length: 0);
        try
        {
            return Reorder(input, source.Open(copy), source.Open(saved));
        }
        finally
        {
            source.Give(saved);
            source.Give(copy);
        }
    }

    internal static long Reorder(Stream document, Stream copy, Stream saved)
    {
        document.CopyTo(copy);
        using var source = PdfReader.Open(copy, PdfDocumentOpenMode.Import);
        if (source.PageCount == 0)
        {
            return 0;
        }

        using var target = new PdfDocument();
        for (var page = source.PageCount; page > 0; page--)
        {
            if (page % Removed != 0)
            {
                target.AddPage(source.Pages[page - 1]);
            }
        }

        target.Save(saved, closeStream: false);
        return saved.Length;
    }
}
