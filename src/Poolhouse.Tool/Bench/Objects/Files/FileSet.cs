using System.Runtime.InteropServices;

namespace Poolhouse.Tool.Bench.Objects.Files;

/// <summary>The files that are read.</summary>
/// <param name="Folder">Where they come from, for the report.</param>
/// <param name="Paths">The files, in a fixed order.</param>
/// <param name="Bytes">All of them together.</param>
internal sealed record FileSet(string Folder, IReadOnlyList<string> Paths, long Bytes)
{
    /// <summary>More than this in one file would not fit the largest array that pools keep.</summary>
    private const long LargestFile = 64L << 20;

    private static readonly EnumerationOptions _everywhere = new() { RecurseSubdirectories = true, IgnoreInaccessible = true };

    /// <summary>The files under a folder that can be read, up to so many bytes.</summary>
    public static FileSet Under(string folder, string pattern, long mostBytes)
    {
        List<string> paths = [];
        var bytes = 0L;
        foreach (var path in Directory.EnumerateFiles(folder, pattern, _everywhere).Order(StringComparer.Ordinal))
        {
            var length = LengthOf(path);
            if (length is > 0 and <= LargestFile && bytes + length <= mostBytes && CanRead(path))
            {
                paths.Add(path);
                bytes += length;
            }
        }

        return new FileSet(folder, paths, bytes);
    }

    /// <summary>The SDK's own XML documentation: real text, the same on every machine with the same SDK.</summary>
    public static FileSet OfSdk(long mostBytes)
    {
        // …/dotnet/shared/Microsoft.NETCore.App/10.0.0/ is three folders below the SDK's root.
        var root = Path.GetFullPath(Path.Combine(RuntimeEnvironment.GetRuntimeDirectory(), "..", "..", ".."));
        var packs = Path.Combine(root, "packs");
        return Under(Directory.Exists(packs) ? packs : root, "*.xml", mostBytes);
    }

    public FileSet First(int count) =>
        this with { Paths = [.. Paths.Take(count)], Bytes = Paths.Take(count).Sum(path => new FileInfo(path).Length) };

    // 0 for a file that is gone by now.
    private static long LengthOf(string path)
    {
        try
        {
            return new FileInfo(path).Length;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return 0;
        }
    }

    private static bool CanRead(string path)
    {
        try
        {
            using var file = File.OpenHandle(path);
            return true;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return false;
        }
    }
}
