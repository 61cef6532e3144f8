using Poolhouse.TestSupport;

namespace Poolhouse.Repository.Tests;

/// <summary>Where things are in the checkout that these tests were built from.</summary>
internal static class RepositoryFiles
{
    public static string Root => Checkout.Root;

    /// <summary>The configuration these tests were built in, which the samples and libraries beside them share.</summary>
    public static string Configuration { get; } = new DirectoryInfo(AppContext.BaseDirectory).Name;

    public static string PathOf(params ReadOnlySpan<string> parts) => Checkout.PathOf(parts);

    /// <summary>What a project of this checkout was built to.</summary>
    public static string OutputOf(string project) => PathOf("artifacts", "bin", project, Configuration, project + ".dll");

    /// <summary>A path as the docs would write it.</summary>
    public static string Relative(string path) => Path.GetRelativePath(Root, path).Replace('\\', '/');

    /// <summary>The files below a folder of the checkout, but for what builds and tools leave there.</summary>
    public static IEnumerable<string> Files(string pattern, params string[] folder)
    {
        var top = PathOf(folder);
        return Directory.Exists(top)
            ? Directory.EnumerateFiles(top, pattern, SearchOption.AllDirectories).Where(IsSource).Order(StringComparer.Ordinal)
            : [];
    }

    private static bool IsSource(string path)
    {
        var folders = Relative(path).Split('/')[..^1];
        return !folders.Any(
            folder => folder is "artifacts" or "bin" or "obj" or "TestResults" or "node_modules" || folder.StartsWith('.'));
    }
}
