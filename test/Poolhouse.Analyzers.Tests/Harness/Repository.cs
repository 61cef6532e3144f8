using System.Runtime.CompilerServices;

namespace Poolhouse.Analyzers.Tests.Harness;

/// <summary>The checkout that these tests were built from.</summary>
internal static class Repository
{
    private static readonly string _root = Path.GetFullPath(Path.Combine(FolderOf(), "..", "..", ".."));

    public static string PathOf(params string[] parts) => Path.Combine([_root, .. parts]);

    /// <summary>All sources of the repository, in a stable order.</summary>
    public static IEnumerable<string> Sources() =>
        from folder in new[] { "src", "test", "samples", "bench", "eng" }
        from path in Directory.EnumerateFiles(PathOf(folder), "*.cs", SearchOption.AllDirectories).Order(StringComparer.Ordinal)
        where !path.Split(Path.DirectorySeparatorChar).Any(part => part is "obj" or "bin")
        select path;

    private static string FolderOf([CallerFilePath] string path = "") => Path.GetDirectoryName(path)!;
}
