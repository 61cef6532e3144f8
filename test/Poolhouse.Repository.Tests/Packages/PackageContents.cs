using System.IO.Compression;
using System.Xml.Linq;

namespace Poolhouse.Repository.Tests.Packages;

public sealed class PackageContents(PackedSolution packed) : IClassFixture<PackedSolution>
{
    private const string Tool = "Poolhouse.Tool";

    public static TheoryData<string> Packages => new(
        RepositoryFiles.Files("*.csproj", "src")
            .Where(project => !File.ReadAllText(project).Contains("<IsPackable>false</IsPackable>", StringComparison.Ordinal))
            .Select(project => Path.GetFileNameWithoutExtension(project)));

    [Theory]
    [MemberData(nameof(Packages))]
    public async Task A_package_contains_its_readme_license_documentation_and_symbols(string project)
    {
        await using var package = await ZipFile.OpenReadAsync(packed.PathOf(project, ".nupkg"));
        var files = package.Entries.Select(entry => entry.FullName).ToList();
        var folderOfAssembly = string.Equals(project, Tool, StringComparison.Ordinal) ? "tools/net10.0/any" : "lib/net10.0";
        Assert.Contains("README.md", files);
        Assert.Contains($"{folderOfAssembly}/{project}.dll", files);
        Assert.Contains($"{folderOfAssembly}/{project}.xml", files);
        await AssertIsPngAsync(package.GetEntry("icon.png"));

        await using var symbols = await ZipFile.OpenReadAsync(packed.PathOf(project, ".snupkg"));
        Assert.Contains($"{folderOfAssembly}/{project}.pdb", symbols.Entries.Select(entry => entry.FullName));

        var metadata = await ReadMetadataAsync(package, project);
        Assert.Equal("MIT", metadata["license"]);
        Assert.Equal("README.md", metadata["readme"]);
        Assert.Equal("icon.png", metadata["icon"]);
        Assert.StartsWith("https://", metadata["projectUrl"], StringComparison.Ordinal);
        using var readme = new StreamReader(await package.GetEntry("README.md")!.OpenAsync());
        Assert.Equal($"# {project}", await readme.ReadLineAsync(TestContext.Current.CancellationToken));

        // Package galleries cut a description after some 300 characters, and search by words of it and by tags.
        Assert.InRange(metadata["description"].Length, 60, 300);
        Assert.EndsWith(".", metadata["description"], StringComparison.Ordinal);
        var tags = metadata["tags"].Split(' ');
        Assert.Equal(["pool", "pooling", "performance"], tags[..3]);
        Assert.InRange(tags.Length, 6, 12);
        Assert.Equal(tags.Length, tags.Distinct(StringComparer.Ordinal).Count());
    }

    private static async Task AssertIsPngAsync(ZipArchiveEntry? entry)
    {
        Assert.NotNull(entry);
        Assert.InRange(entry.Length, 100, 20_000);
        await using var content = await entry.OpenAsync();
        var signature = new byte[8];
        await content.ReadExactlyAsync(signature);
        Assert.Equal([0x89, (byte)'P', (byte)'N', (byte)'G', 13, 10, 26, 10], signature);
    }

    [Fact]
    public async Task The_core_carries_its_analyzers_and_stays_small()
    {
        var path = packed.PathOf("Poolhouse", ".nupkg");
        Assert.InRange(new FileInfo(path).Length, 1, 600_000);
        await using var package = await ZipFile.OpenReadAsync(path);
        var files = package.Entries.Select(entry => entry.FullName).ToList();
        Assert.Contains("analyzers/dotnet/cs/Poolhouse.Analyzers.dll", files);
        Assert.Contains("analyzers/dotnet/cs/Poolhouse.Analyzers.CodeFixes.dll", files);
        Assert.Contains("buildTransitive/Poolhouse.props", files);

        await using var specification = await package.GetEntry("Poolhouse.nuspec")!.OpenAsync();
        var document = await XDocument.LoadAsync(specification, LoadOptions.None, CancellationToken.None);
        var dependencies =
            document.Descendants().Where(element => string.Equals(element.Name.LocalName, "dependency", StringComparison.Ordinal))
            .Select(element => element.Attribute("id")!.Value);
        Assert.Equal(["Microsoft.Extensions.ObjectPool"], dependencies);
    }

    [Theory]
    [InlineData("Poolhouse.Testing")]
    [InlineData("Poolhouse.Workers")]
    public async Task A_package_that_uses_internals_of_the_core_needs_the_same_version_of_it(string project)
    {
        await using var package = await ZipFile.OpenReadAsync(packed.PathOf(project, ".nupkg"));
        await using var specification = await package.GetEntry(project + ".nuspec")!.OpenAsync();
        var document = await XDocument.LoadAsync(specification, LoadOptions.None, CancellationToken.None);
        var core = Assert.Single(
            document.Descendants(), element => string.Equals(element.Attribute("id")?.Value, "Poolhouse", StringComparison.Ordinal));
        Assert.Matches(@"^\[[^,]+\]$", core.Attribute("version")!.Value);
    }

    private static async Task<Dictionary<string, string>> ReadMetadataAsync(ZipArchive package, string project)
    {
        await using var specification = await package.GetEntry(project + ".nuspec")!.OpenAsync();
        var document = await XDocument.LoadAsync(specification, LoadOptions.None, CancellationToken.None);
        return document.Root!.Elements().First().Elements().ToDictionary(
            element => element.Name.LocalName, element => element.Value, StringComparer.Ordinal);
    }
}
