using System.Text.RegularExpressions;

namespace Poolhouse.Repository.Tests.Packages;

/// <summary>The first page of the repository, as eng/release.sh puts it into the packages.</summary>
public sealed partial class PackageReadme
{
    [Theory]
    [InlineData("https://github.com/owner/poolhouse.git")]
    [InlineData("git@github.com:owner/poolhouse.git")]
    public async Task Links_lead_to_the_repository_and_pictures_are_PNG(string remote)
    {
        var page = await WriteAsync(remote);

        Assert.Contains("(https://github.com/owner/poolhouse/blob/v1.2.3/docs/tutorial.md)", page, StringComparison.Ordinal);
        var pictures = Pictures().Matches(page).Select(picture => picture.Groups["target"].Value).ToList();
        Assert.NotEmpty(pictures);
        Assert.All(pictures, picture =>
        {
            const string Host = "https://raw.githubusercontent.com/owner/poolhouse/v1.2.3/";
            Assert.StartsWith(Host, picture, StringComparison.Ordinal);
            Assert.EndsWith(".png", picture, StringComparison.Ordinal);
            Assert.True(
                File.Exists(RepositoryFiles.PathOf(picture[Host.Length..])), $"eng/release/pictures.sh does not draw {picture}.");
        });
    }

    [Fact]
    public async Task A_repository_without_a_public_address_is_not_linked()
    {
        var page = await WriteAsync("/home/somebody/poolhouse");

        Assert.Empty(Pictures().Matches(page));
        Assert.Contains("where Poolhouse loses", page, StringComparison.Ordinal);
        Assert.DoesNotContain("docs/performance.md", page, StringComparison.Ordinal);
    }

    private static async Task<string> WriteAsync(string remote)
    {
        var run = await ReleaseProgram.RunAsync("readme", RepositoryFiles.PathOf("README.md"), remote, "1.2.3");
        Assert.Equal(0, run.ExitCode);
        Assert.DoesNotContain("<!--", run.Output, StringComparison.Ordinal);
        Assert.DoesNotContain("not on nuget.org yet", run.Output, StringComparison.Ordinal);
        Assert.All(
            Links().Matches(run.Output).Select(link => link.Groups["target"].Value),
            target => Assert.Matches("^(https://|#)", target));
        return run.Output;
    }

    [GeneratedRegex(@"\]\((?<target>[^)\s]+)\)", RegexOptions.ExplicitCapture, 10_000)]
    private static partial Regex Links();

    [GeneratedRegex(@"!\[[^\]]*\]\((?<target>[^)]+)\)", RegexOptions.ExplicitCapture, 10_000)]
    private static partial Regex Pictures();
}
