namespace Poolhouse.Repository.Tests.Docs;

/// <summary>
/// How long the documentation may be. A change that needs room makes room elsewhere, or changes the number here in its own commit
/// with the reason.
/// </summary>
public sealed class Words
{
    private const int Most = 60_000;

    [Fact]
    public void The_documentation_does_not_outgrow_its_number_of_words()
    {
        var words = RepositoryFiles.Files("*.md", "docs").Concat(
            ((string[])["README.md", "CHANGELOG.md", "CONTRIBUTING.md"]).Select(name => RepositoryFiles.PathOf(name)))
            .Sum(file => File.ReadAllText(file).Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries).Length);
        Assert.True(words <= Most, $"README, CHANGELOG, CONTRIBUTING and docs have {words} words, {words - Most} more than {Most}.");
    }
}
