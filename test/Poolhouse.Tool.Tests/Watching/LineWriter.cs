using System.Threading.Channels;

namespace Poolhouse.Tool.Tests.Watching;

/// <summary>Passes lines on to a test while the command that writes them still runs.</summary>
internal sealed class LineWriter : StringWriter
{
    private readonly Channel<string> _lines = Channel.CreateUnbounded<string>();
    private string _line = "";

    /// <summary>Forgets the lines that no test has waited for.</summary>
    public void Clear()
    {
        while (_lines.Reader.TryRead(out _))
        {
        }
    }

    /// <summary>Waits for a line with one of the texts.</summary>
    public async Task<string> UntilAsync(params string[] texts)
    {
        await foreach (var line in _lines.Reader.ReadAllAsync(TestContext.Current.CancellationToken))
        {
            if (Array.Exists(texts, text => line.Contains(text, StringComparison.Ordinal)))
            {
                return line;
            }
        }

        throw new InvalidOperationException("The output has ended.");
    }

    public override void Write(char value)
    {
        _line += value;
        if (value == '\n')
        {
            _lines.Writer.TryWrite(_line);
            _line = "";
        }
    }

    public override void Write(char[] buffer, int index, int count) => Write(buffer.AsSpan(index, count).ToString());

    public override void Write(ReadOnlySpan<char> buffer) => Write(buffer.ToString());

    public override void Write(string? value)
    {
        foreach (var letter in value ?? "")
        {
            Write(letter);
        }
    }
}
