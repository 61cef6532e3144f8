namespace Poolhouse.Extensions.Tests;

/// <summary>Finds files of the repository.</summary>
internal static class Repository
{
    private static readonly string _root = FindRoot();

    public static string PathOf(params ReadOnlySpan<string> parts) => Path.Combine([_root, .. parts]);

    private static string FindRoot()
    {
        var folder = new DirectoryInfo(AppContext.BaseDirectory);
        while (!File.Exists(Path.Combine(folder!.FullName, "Poolhouse.slnx")))
        {
            folder = folder.Parent;
        }

        return folder.FullName;
    }
}
