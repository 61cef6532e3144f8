namespace Poolhouse.Tool.Bench.Streams.Pdf;

/// <summary>Reads the objects of a PDF file with classic cross-reference tables, through the stream that holds it.</summary>
/// <remarks>Files with cross-reference streams or encryption are rejected with <see cref="InvalidDataException"/>.</remarks>
internal sealed class PdfReader
{
    private const int TailLength = 1024;
    private const int FirstRead = 1024;
    private const int MostTables = 1000;

    private readonly Stream _file;
    private readonly Dictionary<int, long> _offsets = [];
    private byte[] _buffer = new byte[FirstRead];

    public PdfReader(Stream file)
    {
        _file = file;
        var tableAt = FindLastTable();
        for (var tables = 0; tableAt >= 0; tables++)
        {
            tableAt = tables < MostTables
                ? ReadTable(tableAt)
                : throw new InvalidDataException("The cross-reference tables form a circle.");
        }

        if (Root == 0)
        {
            throw new InvalidDataException("The trailer names no document catalog.");
        }
    }

    /// <summary>The number of the document catalog.</summary>
    public int Root { get; private set; }

    /// <summary>Reads an object; one that the file does not have is null.</summary>
    public PdfObject Read(int number)
    {
        if (!_offsets.TryGetValue(number, out var offset) || offset < 0)
        {
            return new PdfObject("null"u8, -1);
        }

        for (var length = FirstRead; ; length *= 2)
        {
            var text = ReadAt(offset, length);
            var lexer = new PdfLexer(text);
            if (lexer.Next() != PdfToken.Integer || lexer.Integer != number)
            {
                throw new InvalidDataException($"Object {number} is not where the cross-reference table says.");
            }

            lexer.Next();
            lexer.Next();
            var value = lexer.NextValue();
            var after = lexer.Next();
            if (!value.IsEmpty && after == PdfToken.Word && lexer.Position + 2 <= text.Length)
            {
                return new PdfObject(
                    value, lexer.Token.SequenceEqual("stream"u8) ? offset + AfterLineEnd(text, lexer.Position) : -1);
            }

            if (text.Length < length)
            {
                throw new InvalidDataException($"Object {number} has no end.");
            }
        }
    }

    /// <summary>
    /// The length of the bytes of a stream, which may be in a separate object: then the text of the stream must be read again.
    /// </summary>
    public int ReadLength(ReadOnlySpan<byte> value)
    {
        if (PdfLexer.ReferenceIn(value) is { } number)
        {
            value = Read(number).Value;
        }

        var lexer = new PdfLexer(value);
        return lexer.Next() == PdfToken.Integer && lexer.Integer >= 0
            ? lexer.Integer
            : throw new InvalidDataException("The length of a stream is not a number.");
    }

    /// <summary>Copies the bytes of a stream. Overwrites the text of the object that was read last.</summary>
    public void Copy(PdfObject stream, int length, Stream destination)
    {
        var rest = length;
        _file.Position = stream.StreamStart;
        while (rest > 0)
        {
            var read = _file.Read(_buffer, 0, Math.Min(rest, _buffer.Length));
            if (read == 0)
            {
                throw new InvalidDataException("A stream is longer than the file.");
            }

            destination.Write(_buffer, 0, read);
            rest -= read;
        }

        var end = new PdfLexer(ReadAt(stream.StreamStart + length, FirstRead));
        if (end.Next() != PdfToken.Word || !end.Token.SequenceEqual("endstream"u8))
        {
            throw new InvalidDataException("The length of a stream is wrong.");
        }
    }

    /// <summary>Where the newest cross-reference table begins.</summary>
    private long FindLastTable()
    {
        var tail = ReadAt(Math.Max(0, _file.Length - TailLength), TailLength);
        var at = tail.LastIndexOf("startxref"u8);
        var lexer = new PdfLexer(at < 0 ? default : tail[at..]);
        lexer.Next();
        return lexer.Next() == PdfToken.Integer
            ? lexer.Integer
            : throw new InvalidDataException("It does not end as a PDF file does.");
    }

    /// <returns>Where the table before this one begins, or -1.</returns>
    private long ReadTable(long offset)
    {
        for (var length = FirstRead; ; length *= 2)
        {
            var text = ReadAt(offset, length);
            var lexer = new PdfLexer(text);
            if (lexer.Next() != PdfToken.Word || !lexer.Token.SequenceEqual("xref"u8))
            {
                throw new InvalidDataException(
                    "It has no classic cross-reference table. 'qpdf --object-streams=disable IN OUT' writes a file that has one.");
            }

            if (TryReadEntries(ref lexer) && lexer.NextValue() is { IsEmpty: false } trailer)
            {
                return ReadTrailer(trailer);
            }

            if (text.Length < length)
            {
                throw new InvalidDataException("A cross-reference table has no end.");
            }
        }
    }

    /// <returns>False if the text ends before the table.</returns>
    private bool TryReadEntries(ref PdfLexer lexer)
    {
        while (lexer.Next() == PdfToken.Integer)
        {
            var first = lexer.Integer;
            lexer.Next();
            var count = lexer.Integer;
            for (var i = 0; i < count; i++)
            {
                if (lexer.Next() != PdfToken.Integer)
                {
                    return false;
                }

                var offset = lexer.Integer;
                lexer.Next();
                if (lexer.Next() != PdfToken.Word)
                {
                    return false;
                }

                // The newest table is read first, and its entries hold.
                _offsets.TryAdd(first + i, lexer.Token.SequenceEqual("n"u8) ? offset : -1);
            }
        }

        return lexer.Token.SequenceEqual("trailer"u8);
    }

    private long ReadTrailer(ReadOnlySpan<byte> trailer)
    {
        if (!PdfLexer.Find(trailer, "/Encrypt"u8).IsEmpty)
        {
            throw new InvalidDataException("It is encrypted.");
        }

        if (!PdfLexer.Find(trailer, "/XRefStm"u8).IsEmpty)
        {
            throw new InvalidDataException(
                "Some of its objects are in object streams. 'qpdf --object-streams=disable IN OUT' writes a file without them.");
        }

        if (Root == 0)
        {
            Root = PdfLexer.ReferenceIn(PdfLexer.Find(trailer, "/Root"u8)) ?? 0;
        }

        var previous = new PdfLexer(PdfLexer.Find(trailer, "/Prev"u8));
        return previous.Next() == PdfToken.Integer ? previous.Integer : -1;
    }

    /// <summary>The bytes from an offset, up to so many.</summary>
    private ReadOnlySpan<byte> ReadAt(long offset, int length)
    {
        if (offset > _file.Length)
        {
            throw new InvalidDataException("An offset points beyond the end of the file.");
        }

        if (_buffer.Length < length)
        {
            _buffer = new byte[length];
        }

        _file.Position = offset;
        return _buffer.AsSpan(0, _file.ReadAtLeast(_buffer.AsSpan(0, length), length, throwOnEndOfStream: false));
    }

    private static int AfterLineEnd(ReadOnlySpan<byte> text, int at) => at + (text[at] == (byte)'\r' ? 2 : 1);
}
