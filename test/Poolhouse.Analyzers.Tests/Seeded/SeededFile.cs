using Microsoft.CodeAnalysis.Text;
using Poolhouse.TestSupport;

namespace Poolhouse.Analyzers.Tests.Seeded;

/// <summary>A file of Seeded/Sources: a correct program, and bugs as changes of its lines, in comments at its end.</summary>
/// <remarks>
/// A bug begins with <c>// mutant PHxxxx: what it is</c>. Lines with <c>// -</c> are replaced by the lines with <c>// +</c>
/// behind them; indentation does not count, and they must occur once. <c>[|…|]</c> marks where the finding is expected. A line
/// <c>// no rule: why</c> says that no rule claims to find the bug.
/// </remarks>
internal sealed class SeededFile
{
    private const string MutantHeader = "// mutant ";

    private SeededFile(string path)
    {
        Name = Path.GetFileNameWithoutExtension(path);
        var sections = File.ReadAllText(path).Split(MutantHeader);
        Original = sections[0];
        Mutants = [.. sections.Skip(1).Select(Parse)];
    }

    public static IReadOnlyList<SeededFile> All { get; } =
        [.. Directory.GetFiles(Checkout.PathOf("test", "Poolhouse.Analyzers.Tests", "Seeded", "Sources"), "*.cs")
            .Order(StringComparer.Ordinal)
            .Select(path => new SeededFile(path))];

    public string Name { get; }

    public string Original { get; }

    public IReadOnlyList<Mutant> Mutants { get; }

    private Mutant Parse(string section)
    {
        var lines = section.Split('\n');
        var (rule, title) = (lines[0][..6], lines[0][8..]);
        var source = Original.Split('\n').ToList();
        List<string> removed = [], added = [];
        foreach (var line in lines.Skip(1).Append("// -"))
        {
            if (line.StartsWith("// -", StringComparison.Ordinal))
            {
                if (added.Count > 0)
                {
                    Replace(source, removed, added, title);
                    removed.Clear();
                    added.Clear();
                }

                removed.Add(line[4..].Trim());
            }
            else if (line.StartsWith("// +", StringComparison.Ordinal))
            {
                added.Add(line[4..].Trim());
            }
        }

        var (text, places) = Unmark(string.Join('\n', source));
        Assert.False(
            places.Count == 0 && !section.Contains("// no rule:", StringComparison.Ordinal),
            $"{Name}: no place is marked in '{title}'");
        return new Mutant(rule, title, !section.Contains("// no rule:", StringComparison.Ordinal), text, places);
    }

    private void Replace(List<string> source, List<string> removed, List<string> added, string title)
    {
        var places = Enumerable.Range(0, source.Count - removed.Count + 1).Where(index =>
            removed.Select((line, offset) => string.Equals(source[index + offset].Trim(), line, StringComparison.Ordinal))
                .All(same => same)).ToList();
        Assert.True(places.Count == 1, $"{Name}, '{title}': '{string.Join(" / ", removed)}' occurs {places.Count} times");
        var first = source[places[0]];
        var indentation = first[..^first.TrimStart().Length];
        source.RemoveRange(places[0], removed.Count);
        source.InsertRange(places[0], added.Select(line => indentation + line));
    }

    private static (string Text, List<TextSpan> Places) Unmark(string marked)
    {
        var places = new List<TextSpan>();
        while (marked.IndexOf("[|", StringComparison.Ordinal) is >= 0 and var start)
        {
            var end = marked.IndexOf("|]", start, StringComparison.Ordinal) - 2;
            marked = marked.Remove(start, 2).Remove(end, 2);
            places.Add(TextSpan.FromBounds(start, end));
        }

        return (marked, places);
    }
}
