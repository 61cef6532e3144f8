namespace Poolhouse.Tool.Tests;

/// <summary>A folder of a test's own, gone after it.</summary>
internal sealed class TemporaryFolder : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("poolhouse-tool-");

    public string At(params string[] parts) => Path.Combine([_folder.FullName, .. parts]);

    public string Write(string name, string text)
    {
        var path = At(name);
        Directory.CreateDirectory(Path.GetDirectoryName(path)!);
        File.WriteAllText(path, text);
        return path;
    }

    public void Dispose() => _folder.Delete(recursive: true);
}
