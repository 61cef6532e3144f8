using System.Globalization;
using System.Text;

namespace Poolhouse.Tool.Bench.Streams.Pdf;

/// <summary>Writes a new document with pages of another, and with every object that these pages use.</summary>
/// <remarks>The outline, forms and links to pages that are left out are not copied.</remarks>
internal sealed class PdfPageCopier(PdfReader source, PdfPages pages, PdfWriter target)
{
    private const int Catalog = 1;
    private const int PageTree = 2;

    private readonly Dictionary<int, int> _numbers = [];
    private readonly Queue<int> _toCopy = [];

    /// <param name="order">The indexes of the pages in their new order, without repetition.</param>
    public void Copy(IReadOnlyList<int> order)
    {
        target.Begin(Catalog);
        target.Write(Text($"<< /Type /Catalog /Pages {PageTree} 0 R >>"));
        target.End();
        foreach (var index in order)
        {
            _numbers.Add(pages.NumberOf(index), PageTree + 1 + _numbers.Count);
        }

        target.Begin(PageTree);
        target.Write(Text($"<< /Type /Pages /Count {order.Count} /Kids ["));
        for (var i = 0; i < order.Count; i++)
        {
            target.Write(Text($" {PageTree + 1 + i} 0 R"));
        }

        target.Write(" ] >>"u8);
        target.End();
        foreach (var index in order)
        {
            CopyPage(index);
        }

        while (_toCopy.TryDequeue(out var number))
        {
            CopyObject(number);
        }

        target.Finish(Catalog);
    }

    private void CopyPage(int index)
    {
        var number = pages.NumberOf(index);
        var page = source.Read(number).Value;
        target.Begin(_numbers[number]);
        target.Write(Text($"<< /Parent {PageTree} 0 R"));
        foreach (var (key, value) in pages.InheritedBy(index))
        {
            if (PdfLexer.Find(page, Encoding.ASCII.GetBytes(key)).IsEmpty)
            {
                target.Write(Text($" {key} "));
                WriteValue(value);
            }
        }

        var lexer = new PdfLexer(page);
        lexer.Next();
        while (lexer.Next() == PdfToken.Name)
        {
            var key = lexer.Token;
            var value = lexer.NextValue();
            if (!key.SequenceEqual("/Parent"u8))
            {
                target.Write(" "u8);
                target.Write(key);
                target.Write(" "u8);
                WriteValue(value);
            }
        }

        target.Write(" >>"u8);
        target.End();
    }

    private void CopyObject(int number)
    {
        var length = 0;
        var copied = source.Read(number);
        if (copied.StreamStart >= 0)
        {
            length = source.ReadLength(PdfLexer.Find(copied.Value, "/Length"u8));
            copied = source.Read(number);
        }

        target.Begin(_numbers[number]);
        WriteValue(copied.Value);
        if (copied.StreamStart >= 0)
        {
            target.BeginStream();
            source.Copy(copied, length, target.File);
            target.EndStream();
        }

        target.End();
    }

    /// <summary>Writes a value with the new numbers of the objects that it refers to.</summary>
    private void WriteValue(ReadOnlySpan<byte> value)
    {
        var written = 0;
        var (first, second) = ((Start: 0, Number: -1), (Start: 0, Number: -1));
        var lexer = new PdfLexer(value);
        for (var token = lexer.Next(); token != PdfToken.End; token = lexer.Next())
        {
            if (token == PdfToken.Word && first.Number >= 0 && lexer.Token.SequenceEqual("R"u8))
            {
                target.Write(value[written..first.Start]);
                target.Write(NumberOf(first.Number) is { } number ? Text($"{number} 0 R") : "null");
                written = lexer.Position;
            }

            (first, second) = (second, (lexer.Start, token == PdfToken.Integer ? lexer.Integer : -1));
        }

        target.Write(value[written..]);
    }

    /// <summary>The new number of an object, or null if it is a page that is left out, or the page tree.</summary>
    private int? NumberOf(int number)
    {
        if (_numbers.TryGetValue(number, out var known))
        {
            return known;
        }

        if (pages.Contains(number))
        {
            return null;
        }

        var next = PageTree + 1 + _numbers.Count;
        _numbers.Add(number, next);
        _toCopy.Enqueue(number);
        return next;
    }

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
