namespace Poolhouse.Tool.Tests;

/// <summary>A folder of a test's own, gone after it.</summary>
internal sealed class TemporaryFolder : IDisposable
{
    // Of Linux: files in memory.
    private const string Memory = "/dev/shm";

    private readonly DirectoryInfo _folder;

    public TemporaryFolder()
        : this(Directory.CreateTempSubdirectory("poolhouse-tool-"))
    {
    }

    private TemporaryFolder(DirectoryInfo folder) => _folder = folder;

    /// <summary>For files that are written durably: in memory, where there is such a folder, instead of on a slow disk.</summary>
    public static TemporaryFolder InMemory() => Directory.Exists(Memory)
        ? new TemporaryFolder(Directory.CreateDirectory(Path.Combine(Memory, $"poolhouse-tool-{Guid.NewGuid():N}")))
        : new TemporaryFolder();

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
