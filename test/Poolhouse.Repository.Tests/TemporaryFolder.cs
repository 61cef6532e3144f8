namespace Poolhouse.Repository.Tests;

/// <summary>A folder that is deleted with the test.</summary>
internal sealed class TemporaryFolder : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("poolhouse-");

    public string Path => _folder.FullName;

    public void Dispose() => _folder.Delete(recursive: true);
}
