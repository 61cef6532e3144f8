using Poolhouse.Tool.Bench.Measuring;
using Poolhouse.Tool.Bench.Streams.Sources;

namespace Poolhouse.Tool.Bench.Streams.Pdf;

/// <summary>Reorders and removes the pages of a document, with streams from one source.</summary>
internal readonly struct ReorderPages<TSource, THeld>(TSource source, byte[] document) : IOperation
    where TSource : struct, IStreamSource<THeld>
{
    public int Operations => 1;

    public long Invoke() => PdfReordering.Run<TSource, THeld>(source, document);
}
