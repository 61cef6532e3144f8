using System.Globalization;

namespace Poolhouse.Tool.Bench.Report;

/// <summary>Finds a folder to write to without ever overwriting one.</summary>
internal static class ReportFolder
{
    /// <summary>Marks a folder as a report of this tool.</summary>
    public const string Marker = ".poolhouse-report";

    private const int MostReports = 10_000;

    /// <summary>The folder to write to: the requested one, or the next free name if it contains an earlier report.</summary>
    /// <exception cref="UsageException">
    /// The name is blank, or the folder exists and cannot be read or is not a report of this tool.
    /// </exception>
    public static string Choose(string requested)
    {
        if (string.IsNullOrWhiteSpace(requested))
        {
            throw new UsageException("--report is blank. Specify a folder.");
        }

        try
        {
            return FindFree(requested);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw new UsageException(
                $"--report '{requested}' cannot be read: {exception.Message} Specify another folder.", exception);
        }
    }

    private static string FindFree(string requested)
    {
        var folder = Path.TrimEndingDirectorySeparator(Path.GetFullPath(requested));
        for (var number = 1; number < MostReports; number++)
        {
            var candidate = number == 1 ? folder : string.Create(CultureInfo.InvariantCulture, $"{folder}-{number}");
            if (IsFree(candidate))
            {
                return candidate;
            }

            if (number == 1 && !File.Exists(Path.Combine(folder, Marker)))
            {
                throw new UsageException(
                    $"'{requested}' exists and is not a report of poolhouse; nothing is overwritten. Specify another folder "
                        + "with --report, or move it away.");
            }
        }

        throw new UsageException(
            $"'{requested}' and {MostReports - 1} names after it are taken. Specify another one with --report.");
    }

    private static bool IsFree(string path) => Directory.Exists(path)
        ? !Directory.EnumerateFileSystemEntries(path).Any()
        : !File.Exists(path);
}
