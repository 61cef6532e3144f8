using System.Globalization;
using System.Text;

namespace Poolhouse.Tool.Bench.Streams.Pdf;

/// <summary>Writes a PDF file object by object, with a classic cross-reference table.</summary>
internal sealed class PdfWriter
{
    private readonly List<long> _offsets = [];

    public PdfWriter(Stream file)
    {
        File = file;
        Write("%PDF-1.7\n%\u00e2\u00e3\u00cf\u00d3\n");
    }

    public Stream File { get; }

    /// <summary>Begins the object with this number; numbers start at 1 and each is written once, in any order.</summary>
    public void Begin(int number)
    {
        while (_offsets.Count < number)
        {
            _offsets.Add(0);
        }

        _offsets[number - 1] = File.Position;
        Write(string.Create(CultureInfo.InvariantCulture, $"{number} 0 obj\n"));
    }

    public void End() => Write("\nendobj\n"u8);

    public void Write(ReadOnlySpan<byte> bytes) => File.Write(bytes);

    public void Write(string text)
    {
        const int Short = 256;
        var bytes = text.Length <= Short ? stackalloc byte[Short] : new byte[text.Length];
        File.Write(bytes[..Encoding.Latin1.GetBytes(text, bytes)]);
    }

    /// <summary>Begins the bytes of a stream, after its dictionary; they are written to <see cref="File"/>.</summary>
    public void BeginStream() => Write("\nstream\n"u8);

    public void EndStream() => Write("\nendstream"u8);

    /// <summary>Ends the file.</summary>
    /// <param name="root">The number of the document catalog.</param>
    public void Finish(int root)
    {
        var table = File.Position;
        Write(string.Create(CultureInfo.InvariantCulture, $"xref\n0 {_offsets.Count + 1}\n0000000000 65535 f \n"));
        foreach (var offset in _offsets)
        {
            Write(string.Create(CultureInfo.InvariantCulture, $"{offset:D10} 00000 n \n"));
        }

        Write(string.Create(
            CultureInfo.InvariantCulture,
            $"trailer\n<< /Size {_offsets.Count + 1} /Root {root} 0 R >>\nstartxref\n{table}\n%%EOF\n"));
    }
}
