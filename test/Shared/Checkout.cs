namespace Poolhouse.TestSupport;

/// <summary>The checkout that the tests were built from.</summary>
/// <remarks>
/// It is found from where the tests lie: the paths that the compiler writes (<c>CallerFilePath</c>) are not those of this machine
/// in a reproducible build, as continuous integration makes it.
/// </remarks>
internal static class Checkout
{
    /// <summary>Its folder.</summary>
    public static string Root { get; } = FindRoot();

    /// <summary>The path of a file or folder of it.</summary>
    public static string PathOf(params ReadOnlySpan<string> parts) => Path.Combine([Root, .. parts]);

    private static string FindRoot()
    {
        var folder = new DirectoryInfo(AppContext.BaseDirectory);
        while (folder is not null && !File.Exists(Path.Combine(folder.FullName, "Poolhouse.slnx")))
        {
            folder = folder.Parent;
        }

        return folder?.FullName ?? throw new InvalidOperationException("No folder above the tests has a Poolhouse.slnx.");
    }
}
