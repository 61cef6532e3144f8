using System.Text;
using Spectre.Console;

namespace Poolhouse.Tool.Cli;

/// <summary>Lines of text that never end between a number and its unit.</summary>
internal static class Wrapping
{
    private static readonly string[] _units = ["ns", "µs", "ms", "s", "B", "KiB", "MiB", "GiB", "%"];

    /// <summary>Writes a paragraph, broken at the width of the console.</summary>
    public static void WriteParagraph(this IAnsiConsole console, string text, Style? style = null)
    {
        foreach (var line in Wrap(text, console.Profile.Width))
        {
            console.Write(new Text(line, style));
            console.WriteLine();
        }
    }

    public static IEnumerable<string> Wrap(string text, int width)
    {
        var line = new StringBuilder();
        foreach (var word in Words(text))
        {
            if (line.Length > 0 && line.Length + 1 + word.Length > width)
            {
                yield return line.ToString();
                line.Clear();
            }

            line.Append(line.Length == 0 ? "" : " ").Append(word);
        }

        yield return line.ToString();
    }

    /// <summary>Words, of which a number and its unit are one.</summary>
    private static List<string> Words(string text)
    {
        var words = new List<string>();
        foreach (var word in text.Split(' '))
        {
            if (words is [.., { Length: > 0 } last] && char.IsAsciiDigit(last[^1])
                && _units.Contains(word.TrimEnd('.', ',', ';', ':', ')')))
            {
                words[^1] = $"{last} {word}";
            }
            else
            {
                words.Add(word);
            }
        }

        return words;
    }
}
