using System.Text.RegularExpressions;

namespace Poolhouse.Repository.Tests.Packages;

/// <summary>The first pages of the packages, as eng/release.sh puts them into the packages.</summary>
public sealed partial class PackageReadme
{
    private const string Address = "https://github.com/owner/poolhouse";

    private static IEnumerable<string> Packages => RepositoryFiles.Files("*.csproj", "src")
        .Where(project => !File.ReadAllText(project).Contains("<IsPackable>false</IsPackable>", StringComparison.Ordinal))
        .Select(project => Path.GetFileNameWithoutExtension(project));

    [Fact]
    public async Task Links_lead_to_the_repository_at_the_tag_of_the_version()
    {
        using var folder = new TemporaryFolder();
        foreach (var package in Packages)
        {
            Directory.CreateDirectory(Path.Combine(folder.Path, "src", package));
            File.Copy(
                RepositoryFiles.PathOf("src", package, "README.md"), Path.Combine(folder.Path, "src", package, "README.md"));
        }

        var run = await ReleaseProgram.RunAsync("readmes", folder.Path, Address, "1.2.3");

        Assert.True(run.ExitCode == 0, run.Output);
        foreach (var package in Packages)
        {
            var page = await File.ReadAllTextAsync(
                Path.Combine(folder.Path, "src", package, "README.md"), TestContext.Current.CancellationToken);
            Assert.DoesNotContain("<!--", page, StringComparison.Ordinal);
            Assert.All(Links().Matches(page).Select(link => link.Groups["target"].Value), target =>
            {
                const string Tag = Address + "/blob/v1.2.3/";
                Assert.StartsWith(Tag, target, StringComparison.Ordinal);
                Assert.True(File.Exists(RepositoryFiles.PathOf(target[Tag.Length..].Split('#')[0])), target);
            });
        }
    }

    [Fact]
    public void A_page_names_its_package_and_fits_a_screen() => Assert.All(Packages, package =>
    {
        var lines = File.ReadAllLines(RepositoryFiles.PathOf("src", package, "README.md"));
        Assert.Equal($"# {package}", lines[0]);
        Assert.InRange(lines.Length, 8, 36);
        Assert.Contains(lines, line => line.Trim() is var text && (text.StartsWith("dotnet add package ", StringComparison.Ordinal)
            || text.StartsWith("dotnet tool install ", StringComparison.Ordinal)) && text.EndsWith(package, StringComparison.Ordinal));
    });

    [Theory]
    [InlineData("https://github.com/owner/poolhouse.git", Address)]
    [InlineData("git@github.com:owner/poolhouse.git", Address)]
    [InlineData("/home/somebody/poolhouse", null)]
    [InlineData("", null)]
    public async Task A_release_needs_a_public_address(string remote, string? address)
    {
        var run = await ReleaseProgram.RunAsync("address", remote);

        Assert.Equal(address is null, run.ExitCode != 0);
        Assert.Contains(address ?? "Set POOLHOUSE_REPOSITORY", run.Output, StringComparison.Ordinal);
    }

    [GeneratedRegex(@"\]\((?<target>[^)\s]+)\)", RegexOptions.ExplicitCapture, 10_000)]
    private static partial Regex Links();
}
