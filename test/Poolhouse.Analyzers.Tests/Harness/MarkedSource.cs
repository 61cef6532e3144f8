using System.Text;
using Microsoft.CodeAnalysis.Text;

namespace Poolhouse.Analyzers.Tests.Harness;

/// <summary>A source text with marks: <c>[|x|]</c> expects one finding whose place is exactly x.</summary>
internal sealed class MarkedSource
{
    private MarkedSource(string text, IReadOnlyList<TextSpan> spans)
    {
        Text = text;
        Spans = spans;
    }

    public string Text { get; }

    public IReadOnlyList<TextSpan> Spans { get; }

    public static MarkedSource Parse(string marked)
    {
        var text = new StringBuilder();
        var spans = new List<TextSpan>();
        var begins = new Stack<int>();
        for (var at = 0; at < marked.Length; at++)
        {
            if (marked.AsSpan(at).StartsWith("[|"))
            {
                begins.Push(text.Length);
                at++;
            }
            else if (marked.AsSpan(at).StartsWith("|]"))
            {
                spans.Add(TextSpan.FromBounds(begins.Pop(), text.Length));
                at++;
            }
            else
            {
                text.Append(marked[at]);
            }
        }

        Assert.Empty(begins);
        return new MarkedSource(text.ToString(), [.. spans.OrderBy(span => span.Start)]);
    }
}
