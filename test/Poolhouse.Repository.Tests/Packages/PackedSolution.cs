namespace Poolhouse.Repository.Tests.Packages;

/// <summary>All packages of the solution, made once from what the build has left.</summary>
public sealed class PackedSolution : IAsyncLifetime
{
    private readonly TemporaryFolder _folder = new();

    public async ValueTask InitializeAsync()
    {
        var pack = await CommandLine.DotnetAsync(
            "pack", RepositoryFiles.PathOf("Poolhouse.slnx"), "-c", RepositoryFiles.Configuration, "--no-build", "-o",
            _folder.Path);
        Assert.True(pack.ExitCode == 0, pack.Output);
    }

    public ValueTask DisposeAsync()
    {
        _folder.Dispose();
        return default;
    }

    /// <summary>The file of a package, whatever its version.</summary>
    public string PathOf(string project, string extension) => Assert.Single(
        Directory.GetFiles(_folder.Path, $"{project}.*{extension}"),
        file => char.IsAsciiDigit(Path.GetFileName(file)[project.Length + 1]));
}
