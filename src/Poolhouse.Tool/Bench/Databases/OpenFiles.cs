namespace Poolhouse.Tool.Bench.Databases;

/// <summary>Counts how often this process has a file open: SQLite opens it once for each connection.</summary>
internal static class OpenFiles
{
    private const string Descriptors = "/proc/self/fd";

    /// <returns>Null if the system does not provide it.</returns>
    public static int? Count(string path) => Directory.Exists(Descriptors)
        ? Directory.EnumerateFileSystemEntries(Descriptors).Count(descriptor => PointsTo(descriptor, path))
        : null;

    private static bool PointsTo(string descriptor, string path)
    {
        try
        {
            return string.Equals(new FileInfo(descriptor).LinkTarget, path, StringComparison.Ordinal);
        }
        catch (IOException)
        {
            // Closed since it was listed.
            return false;
        }
    }
}
