using System.IO.Compression;
using System.Xml.Linq;

namespace Poolhouse.Repository.Tests.Packages;

public sealed class PackageContents
{
    [Theory]
    [InlineData("Poolhouse")]
    [InlineData("Poolhouse.Testing")]
    [InlineData("Poolhouse.Extensions")]
    [InlineData("Poolhouse.Data.Extensions")]
    [InlineData("Poolhouse.Http.Extensions")]
    [InlineData("Poolhouse.AspNetCore")]
    [InlineData("Poolhouse.Ldap.Extensions")]
    [InlineData("Poolhouse.OpenTelemetry")]
    public async Task A_package_contains_its_readme_license_documentation_and_symbols(string project)
    {
        Assert.True(File.Exists(RepositoryFiles.PathOf("README.md")), "Packages carry the repository's README.md: there is none.");
        using var folder = new TemporaryFolder();

        var pack = await CommandLine.DotnetAsync(
            "pack", RepositoryFiles.PathOf("src", project), "-c", RepositoryFiles.Configuration, "--no-build", "-o", folder.Path);

        Assert.True(pack.ExitCode == 0, pack.Output);
        using var package = await ZipFile.OpenReadAsync(Assert.Single(Directory.GetFiles(folder.Path, "*.nupkg")));
        var files = package.Entries.Select(entry => entry.FullName).ToList();
        Assert.Contains("README.md", files);
        Assert.Contains($"lib/net10.0/{project}.dll", files);
        Assert.Contains($"lib/net10.0/{project}.xml", files);

        using var symbols = await ZipFile.OpenReadAsync(Assert.Single(Directory.GetFiles(folder.Path, "*.snupkg")));
        Assert.Contains($"lib/net10.0/{project}.pdb", symbols.Entries.Select(entry => entry.FullName));

        var metadata = await ReadMetadataAsync(package, project);
        Assert.Equal("MIT", metadata["license"]);
        Assert.Equal("README.md", metadata["readme"]);
        Assert.NotEqual("Package Description", metadata["description"]);
    }

    [Fact]
    public async Task The_core_carries_its_analyzers_and_stays_small()
    {
        using var folder = new TemporaryFolder();

        var pack = await CommandLine.DotnetAsync(
            "pack", RepositoryFiles.PathOf("src", "Poolhouse"), "-c", RepositoryFiles.Configuration, "--no-build", "-o", folder.Path);

        Assert.True(pack.ExitCode == 0, pack.Output);
        var path = Assert.Single(Directory.GetFiles(folder.Path, "*.nupkg"));
        Assert.InRange(new FileInfo(path).Length, 1, 600_000);
        using var package = await ZipFile.OpenReadAsync(path);
        var files = package.Entries.Select(entry => entry.FullName).ToList();
        Assert.Contains("analyzers/dotnet/cs/Poolhouse.Analyzers.dll", files);
        Assert.Contains("analyzers/dotnet/cs/Poolhouse.Analyzers.CodeFixes.dll", files);
        Assert.Contains("buildTransitive/Poolhouse.props", files);

        await using var specification = await package.GetEntry("Poolhouse.nuspec")!.OpenAsync();
        var document = await XDocument.LoadAsync(specification, LoadOptions.None, CancellationToken.None);
        var dependencies = document.Descendants().Where(element => string.Equals(element.Name.LocalName, "dependency", StringComparison.Ordinal))
            .Select(element => element.Attribute("id")!.Value);
        Assert.Equal(["Microsoft.Extensions.ObjectPool"], dependencies);
    }

    private static async Task<Dictionary<string, string>> ReadMetadataAsync(ZipArchive package, string project)
    {
        await using var specification = await package.GetEntry(project + ".nuspec")!.OpenAsync();
        var document = await XDocument.LoadAsync(specification, LoadOptions.None, CancellationToken.None);
        return document.Root!.Elements().First().Elements().ToDictionary(
            element => element.Name.LocalName, element => element.Value, StringComparer.Ordinal);
    }
}
