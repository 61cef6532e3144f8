namespace Poolhouse.Tool.Bench.Streams.Pdf;

/// <summary>What <see cref="PdfLexer"/> reads.</summary>
internal enum PdfToken
{
    /// <summary>The text has ended, perhaps within a token.</summary>
    End,
    Integer,
    Name,

    /// <summary>A keyword or a real number.</summary>
    Word,
    Text,
    ArrayStart,
    ArrayEnd,
    DictionaryStart,
    DictionaryEnd,
}
