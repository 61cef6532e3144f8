using System.Text.RegularExpressions;

namespace Poolhouse.Repository.Tests.Docs;

/// <summary>A piece of a sample for the docs: the lines between <c>// snippet: name</c> and <c>// end snippet</c>.</summary>
internal sealed partial record Snippet(string Name, string Place, string Code)
{
    /// <summary>Whether the sample's file holds nothing else.</summary>
    public bool IsWholeFile { get; private init; }

    public static IReadOnlyList<Snippet> All { get; } = [.. RepositoryFiles.Files("*.cs", "samples").SelectMany(Read)];

    /// <summary>The lines without the indentation that they share: code is indented deeper in a method than on a page.</summary>
    public static string Dedent(IReadOnlyCollection<string> lines)
    {
        var indents = lines.Where(line => line.Length > 0).Select(line => line.Length - line.TrimStart().Length);
        var indent = indents.DefaultIfEmpty(0).Min();
        return string.Join('\n', lines.Select(line => line.Length == 0 ? line : line[indent..]));
    }

    private static IEnumerable<Snippet> Read(string path)
    {
        var lines = File.ReadAllLines(path);
        for (var i = 0; i < lines.Length; i++)
        {
            var marker = Start().Match(lines[i]);
            if (!marker.Success)
            {
                continue;
            }

            var end = Array.FindIndex(lines, i, line => string.Equals(line.Trim(), "// end snippet", StringComparison.Ordinal));
            Assert.True(end > 0, $"{RepositoryFiles.Relative(path)}({i + 1}): no '// end snippet'.");
            yield return new Snippet(
                marker.Groups["name"].Value, $"{RepositoryFiles.Relative(path)}({i + 1})", Dedent(lines[(i + 1)..end]))
            {
                IsWholeFile = i == 0 && lines[(end + 1)..].All(string.IsNullOrWhiteSpace),
            };
        }
    }

    [GeneratedRegex(@"^\s*// snippet: (?<name>[a-z0-9-]+)$", RegexOptions.ExplicitCapture, 10_000)]
    private static partial Regex Start();
}
