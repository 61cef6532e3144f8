using System.Buffers.Text;

namespace Poolhouse.Tool.Bench.Streams.Pdf;

/// <summary>Splits the text of PDF objects into tokens (ISO 32000-1, 7.2 and 7.3).</summary>
internal ref struct PdfLexer(ReadOnlySpan<byte> text)
{
    private static readonly System.Buffers.SearchValues<byte> _endsWord =
        System.Buffers.SearchValues.Create("\0\t\n\f\r ()<>[]{}/%"u8);

    private readonly ReadOnlySpan<byte> _text = text;

    /// <summary>Where the last token begins.</summary>
    public int Start { get; private set; }

    /// <summary>Where the next token is searched for.</summary>
    public int Position { get; set; }

    /// <summary>The value of the last token, if it is an integer.</summary>
    public int Integer { get; private set; }

    public readonly ReadOnlySpan<byte> Token => _text[Start..Position];

    public PdfToken Next()
    {
        SkipSpace();
        Start = Position;
        if (Position == _text.Length)
        {
            return PdfToken.End;
        }

        switch (_text[Position])
        {
            case (byte)'[':
                return Take(1, PdfToken.ArrayStart);
            case (byte)']':
                return Take(1, PdfToken.ArrayEnd);
            case (byte)'{' or (byte)'}':
                return Take(1, PdfToken.Word);
            case (byte)'(':
                return TakeString();
            case (byte)'<' when StartsWith("<<"u8):
                return Take(2, PdfToken.DictionaryStart);
            case (byte)'>' when StartsWith(">>"u8):
                return Take(2, PdfToken.DictionaryEnd);
            case (byte)'<':
                var end = _text[Position..].IndexOf((byte)'>');
                return end < 0 ? TakeNothing() : Take(end + 1, PdfToken.Text);
            case (byte)'/':
                return Take(1 + WordLength(Position + 1), PdfToken.Name);
            default:
                return TakeWord();
        }
    }

    /// <summary>Reads a whole value: also an array, a dictionary or a reference.</summary>
    /// <returns>Its text; empty if the text ends before the value does.</returns>
    public ReadOnlySpan<byte> NextValue()
    {
        var depth = 0;
        var start = -1;
        do
        {
            var token = Next();
            start = start < 0 ? Start : start;
            switch (token)
            {
                case PdfToken.End:
                    return default;
                case PdfToken.ArrayStart or PdfToken.DictionaryStart:
                    depth++;
                    break;
                case PdfToken.ArrayEnd or PdfToken.DictionaryEnd:
                    depth--;
                    break;
                case PdfToken.Integer when depth == 0:
                    SkipRestOfReference();
                    break;
            }
        }
        while (depth > 0);

        return _text[start..Position];
    }

    /// <summary>The value of a key of a dictionary; empty if the dictionary does not have it.</summary>
    public static ReadOnlySpan<byte> Find(ReadOnlySpan<byte> dictionary, ReadOnlySpan<byte> key)
    {
        var lexer = new PdfLexer(dictionary);
        lexer.Next();
        while (lexer.Next() == PdfToken.Name)
        {
            var found = lexer.Token.SequenceEqual(key);
            var value = lexer.NextValue();
            if (found)
            {
                return value;
            }
        }

        return default;
    }

    /// <summary>The number of the object that a value refers to, or null if it is no reference.</summary>
    public static int? ReferenceIn(ReadOnlySpan<byte> value)
    {
        var lexer = new PdfLexer(value);
        if (lexer.Next() != PdfToken.Integer)
        {
            return null;
        }

        var number = lexer.Integer;
        return lexer.Next() == PdfToken.Integer && lexer.Next() == PdfToken.Word && lexer.Token.SequenceEqual("R"u8)
            ? number
            : null;
    }

    private void SkipRestOfReference()
    {
        var back = Position;
        if (Next() != PdfToken.Integer || Next() != PdfToken.Word || !Token.SequenceEqual("R"u8))
        {
            Position = back;
        }
    }

    private void SkipSpace()
    {
        while (Position < _text.Length)
        {
            if (_text[Position] == (byte)'%')
            {
                var length = _text[Position..].IndexOfAny((byte)'\r', (byte)'\n');
                Position = length < 0 ? _text.Length : Position + length;
            }
            else if (_text[Position] is (byte)' ' or (byte)'\n' or (byte)'\r' or (byte)'\t' or (byte)'\f' or 0)
            {
                Position++;
            }
            else
            {
                return;
            }
        }
    }

    private PdfToken TakeString()
    {
        var depth = 0;
        for (var at = Position; at < _text.Length; at++)
        {
            switch (_text[at])
            {
                case (byte)'\\':
                    at++;
                    break;
                case (byte)'(':
                    depth++;
                    break;
                case (byte)')' when --depth == 0:
                    return Take(at + 1 - Position, PdfToken.Text);
            }
        }

        return TakeNothing();
    }

    private PdfToken TakeWord()
    {
        var word = Take(Math.Max(1, WordLength(Position)), PdfToken.Word);
        if (Utf8Parser.TryParse(Token, out int integer, out var used) && used == Token.Length)
        {
            Integer = integer;
            return PdfToken.Integer;
        }

        return word;
    }

    private readonly int WordLength(int from)
    {
        var length = _text[from..].IndexOfAny(_endsWord);
        return length < 0 ? _text.Length - from : length;
    }

    private readonly bool StartsWith(ReadOnlySpan<byte> token) => _text[Position..].StartsWith(token);

    private PdfToken Take(int length, PdfToken token)
    {
        Position += length;
        return token;
    }

    private PdfToken TakeNothing()
    {
        Position = _text.Length;
        return PdfToken.End;
    }
}
