namespace Poolhouse.Tool.Bench.Streams.Pdf;

/// <summary>One object of a file. Its text is valid until the reader is used again.</summary>
internal readonly ref struct PdfObject(ReadOnlySpan<byte> value, long streamStart)
{
    /// <summary>The text of the value; of a stream, its dictionary.</summary>
    public ReadOnlySpan<byte> Value { get; } = value;

    /// <summary>Where in the file the bytes of the stream begin, or -1 if the object is not a stream.</summary>
    public long StreamStart { get; } = streamStart;
}
