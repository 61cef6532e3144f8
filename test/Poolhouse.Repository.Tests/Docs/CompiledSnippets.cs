namespace Poolhouse.Repository.Tests.Docs;

public sealed class CompiledSnippets
{
    [Fact]
    public void Every_CSharp_block_in_the_docs_is_a_snippet_of_a_sample()
    {
        var problems =
            from page in MarkdownFile.All
            where !IsPageOfRules(page)
            from block in page.CSharpBlocks()
            let problem = ProblemOf(block.Snippet, block.Code)
            where problem is not null
            select $"{page.Name}({block.Line}): {problem}";

        Problems.AssertNone(problems);
    }

    [Theory]
    [InlineData("README.md")]
    [InlineData("docs/tutorial.md")]
    public void The_first_code_of_the_page_is_a_whole_program(string page)
    {
        var first =
            MarkdownFile.All.Single(file => string.Equals(file.Name, page, StringComparison.Ordinal)).CSharpBlocks().First();
        var snippet = Snippet.All.Single(each => string.Equals(each.Name, first.Snippet, StringComparison.Ordinal));

        Assert.True(
            snippet.IsWholeFile,
            $"{page}: '{snippet.Name}' is a part of {snippet.Place}, so it cannot be pasted into a new project.");
        Assert.StartsWith("using ", snippet.Code, StringComparison.Ordinal);
    }

    [Fact]
    public void Every_snippet_of_a_sample_is_used_on_a_page()
    {
        var shown = MarkdownFile.All.SelectMany(page => page.CSharpBlocks()).Select(block => block.Snippet ?? "");

        Problems.AssertNone(Snippet.All.Select(snippet => snippet.Name).Except(shown, StringComparer.Ordinal));
    }

    [Fact]
    public void No_two_snippets_have_the_same_name()
    {
        var names = Snippet.All.Select(snippet => snippet.Name).ToList();

        Assert.Equal(names.Distinct(StringComparer.Ordinal), names);
    }

    // Their code is compiled and analyzed by Poolhouse.Analyzers.Tests: the bad code would not pass the build of a sample.
    private static bool IsPageOfRules(MarkdownFile page) => page.Name.StartsWith("docs/rules/", StringComparison.Ordinal);

    private static string? ProblemOf(string? name, string code)
    {
        if (name is null)
        {
            return "no line <!-- snippet: name --> before it. C# in the docs comes from the samples: see CONTRIBUTING.md.";
        }

        var snippet = Snippet.All.FirstOrDefault(each => string.Equals(each.Name, name, StringComparison.Ordinal));
        return snippet switch
        {
            null => $"no sample has a line '// snippet: {name}'.",
            _ when string.Equals(snippet.Code, code, StringComparison.Ordinal) => null,
            _ => $"differs from {snippet.Place}, which says:\n{snippet.Code}",
        };
    }
}
