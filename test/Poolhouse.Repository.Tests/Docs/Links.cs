namespace Poolhouse.Repository.Tests.Docs;

public sealed class Links
{
    [Fact]
    public void Every_relative_link_has_a_target()
    {
        var broken =
            from page in MarkdownFile.All
            from target in page.LocalLinks()
            where !Resolves(page, target)
            select $"{page.Name}: {target}";

        Problems.AssertNone(broken);
    }

    [Fact]
    public void Every_page_of_the_docs_is_in_the_index()
    {
        var index = MarkdownFile.Read("docs", "README.md");
        var linked = index.LocalLinks().Select(target => PathOf(index, target)).ToHashSet(StringComparer.Ordinal);
        var pages =
            RepositoryFiles.Files("*.md", "docs").Where(page => !string.Equals(page, index.Path, StringComparison.Ordinal));

        Problems.AssertNone(pages.Where(page => !IsLinked(page, linked)).Select(RepositoryFiles.Relative));
    }

    // A folder with an index of its own is linked by that: design records are many and numbered.
    private static bool IsLinked(string page, HashSet<string> linked) =>
        linked.Contains(page) || linked.Contains(Path.Combine(Path.GetDirectoryName(page)!, "README.md"));

    private static string PathOf(MarkdownFile page, string target) =>
        Path.GetFullPath(Path.Combine(Path.GetDirectoryName(page.Path)!, Uri.UnescapeDataString(target)));

    private static bool Resolves(MarkdownFile page, string target)
    {
        var parts = target.Split('#', 2);
        var path = parts[0].Length == 0 ? page.Path : PathOf(page, parts[0]);
        if (!path.StartsWith(RepositoryFiles.Root, StringComparison.Ordinal) || !Path.Exists(path))
        {
            return false;
        }

        return parts.Length == 1
            || new MarkdownFile(path).Headings().Select(MarkdownFile.AnchorOf).Contains(parts[1], StringComparer.Ordinal);
    }
}
