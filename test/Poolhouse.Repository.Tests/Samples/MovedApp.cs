using System.Text.RegularExpressions;

namespace Poolhouse.Repository.Tests.Samples;

/// <summary>The app that was moved to Poolhouse: its page shows what really differs.</summary>
public sealed partial class MovedApp
{
    [Theory]
    [InlineData("Program.cs", 12)]
    [InlineData("appsettings.json", 9)]
    public void The_page_shows_what_changed_in_a_file(string file, int most)
    {
        var page = File.ReadAllText(RepositoryFiles.PathOf("samples", "MovedApp", "README.md")).ReplaceLineEndings("\n");
        var block = Block().Matches(page).Single(match => string.Equals(match.Groups["file"].Value, file, StringComparison.Ordinal));
        var hunks = block.Groups["lines"].Value.Split("@@").Where((_, index) => index > 0 && index % 2 == 0)
            .Select(hunk => hunk.Split('\n')[1..^1]).ToList();

        Assert.NotEmpty(hunks);
        foreach (var hunk in hunks)
        {
            Assert.Contains(TextOf(hunk, '-'), TextOfFile("Before"), StringComparison.Ordinal);
            Assert.Contains(TextOf(hunk, '+'), TextOfFile("After"), StringComparison.Ordinal);
        }

        var changed = hunks.SelectMany(hunk => hunk).Where(line => line.StartsWith('+')).Select(line => line[1..]).ToList();
        Assert.InRange(changed.Count, 1, most);
        Assert.Equal(TextOfFile("After").Split('\n').Length - TextOfFile("Before").Split('\n').Length,
            changed.Count - hunks.SelectMany(hunk => hunk).Count(line => line.StartsWith('-')));

        string TextOfFile(string side) =>
            File.ReadAllText(RepositoryFiles.PathOf("samples", "MovedApp", side, file)).ReplaceLineEndings("\n");

        static string TextOf(string[] hunk, char sign) =>
            string.Join(
                '\n', hunk.Where(line => line.Length > 0 && (line[0] == ' ' || line[0] == sign)).Select(line => line[1..]));
    }

    [GeneratedRegex("<!-- diff: (?<file>[^ ]+) -->\n```diff\n(?<lines>.*?)```", RegexOptions.Singleline | RegexOptions.ExplicitCapture, 10_000)]
    private static partial Regex Block();
}
