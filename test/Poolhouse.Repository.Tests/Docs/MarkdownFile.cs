using System.Text.RegularExpressions;

namespace Poolhouse.Repository.Tests.Docs;

/// <summary>A page of the docs: what these tests read of it.</summary>
internal sealed partial class MarkdownFile(string path)
{
    private readonly string[] _lines = File.ReadAllLines(path);

    public static IEnumerable<MarkdownFile> All => RepositoryFiles.Files("*.md").Select(path => new MarkdownFile(path));

    public string Path => path;

    public string Name => RepositoryFiles.Relative(path);

    public static MarkdownFile Read(params string[] parts) => new(RepositoryFiles.PathOf(parts));

    /// <summary>The fenced blocks of C# with the name in the marker on the line before, or null where there is none.</summary>
    public IEnumerable<(string? Snippet, int Line, string Code)> CSharpBlocks()
    {
        for (var i = 0; i < _lines.Length; i++)
        {
            if (!CSharpFence().IsMatch(_lines[i]))
            {
                continue;
            }

            var end = Array.FindIndex(_lines, i + 1, line => line.TrimStart().StartsWith("```", StringComparison.Ordinal));
            var marker = i == 0 ? Match.Empty : SnippetMarker().Match(_lines[i - 1]);
            yield return (marker.Success ? marker.Groups["name"].Value : null, i + 1, Snippet.Dedent(_lines[(i + 1)..end]));
            i = end;
        }
    }

    /// <summary>The headings, without their number signs.</summary>
    public IEnumerable<string> Headings() =>
        from line in Prose()
        from Match heading in Heading().Matches(line)
        select heading.Groups["text"].Value.Trim();

    /// <summary>The targets of links and images that are not on the web.</summary>
    public IEnumerable<string> LocalLinks() =>
        from line in Prose()
        from Match link in Link().Matches(CodeSpan().Replace(line, "code")).Concat(Source().Matches(line))
        let target = link.Groups["target"].Value
        where !target.Contains("://", StringComparison.Ordinal) && !target.StartsWith("mailto:", StringComparison.Ordinal)
        select target;

    /// <summary>The rows of the table below a marker <c>&lt;!-- marker --&gt;</c>, without its head.</summary>
    public IReadOnlyList<string[]> Table(string marker)
    {
        var start = Array.IndexOf(_lines, $"<!-- {marker} -->");
        Assert.True(start >= 0, $"{Name} has no table marked <!-- {marker} -->.");
        var headLines = 2;
        return [.. _lines.Skip(start + 1).TakeWhile(line => line.StartsWith('|')).Skip(headLines).Select(Cells)];
    }

    /// <summary>The anchor that GitHub gives a heading.</summary>
    public static string AnchorOf(string heading) =>
        NotInAnchors().Replace(heading.ToLowerInvariant(), "").Replace(' ', '-');

    private static string[] Cells(string row) =>
        [.. row.Trim('|', ' ').Split('|').Select(cell => cell.Trim())];

    private IEnumerable<string> Prose()
    {
        var fenced = false;
        foreach (var line in _lines)
        {
            if (line.TrimStart().StartsWith("```", StringComparison.Ordinal))
            {
                fenced = !fenced;
            }
            else if (!fenced)
            {
                yield return line;
            }
        }
    }

    [GeneratedRegex(@"^\s*```(csharp|cs|c#)\b", RegexOptions.ExplicitCapture, 10_000)]
    private static partial Regex CSharpFence();

    [GeneratedRegex(@"^\s*<!-- snippet: (?<name>[a-z0-9-]+) -->$", RegexOptions.ExplicitCapture, 10_000)]
    private static partial Regex SnippetMarker();

    [GeneratedRegex(@"^#{1,6} (?<text>.+)$", RegexOptions.ExplicitCapture, 10_000)]
    private static partial Regex Heading();

    [GeneratedRegex(@"\]\((?<target>[^)\s]+)\)", RegexOptions.ExplicitCapture, 10_000)]
    private static partial Regex Link();

    [GeneratedRegex(@"\b(src|srcset|href)=""(?<target>[^""]+)""", RegexOptions.ExplicitCapture, 10_000)]
    private static partial Regex Source();

    [GeneratedRegex("`[^`]+`", RegexOptions.ExplicitCapture, 10_000)]
    private static partial Regex CodeSpan();

    [GeneratedRegex(@"[^\p{L}\p{N} _-]", RegexOptions.ExplicitCapture, 10_000)]
    private static partial Regex NotInAnchors();
}
