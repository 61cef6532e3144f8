using System.Globalization;

namespace Poolhouse.Tool.Servers;

/// <summary>Finds the programs of database servers on this machine.</summary>
internal static class ServerPrograms
{
    /// <summary>
    /// The environment variable that names the folder of PostgreSQL's programs; where it is set, no other is searched.
    /// </summary>
    public const string PostgresFolderVariable = "POOLHOUSE_POSTGRES_BIN";

    private static readonly string[] _parentsOfVersions =
        ["/usr/lib/postgresql", "/opt/homebrew/opt", "/usr/local/opt", "/Library/PostgreSQL", "/usr/local"];

    private static readonly string[] _otherFolders =
        ["/usr/local/pgsql/bin", "/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin", "/sbin"];

    /// <summary>
    /// The folder with <c>postgres</c> and <c>initdb</c>, of the highest version in the first location that has any; or null.
    /// </summary>
    public static string? PostgresFolder()
    {
        var folders = Environment.GetEnvironmentVariable(PostgresFolderVariable) is { Length: > 0 } chosen
            ? [chosen]
            : SearchPath.Concat(VersionFolders()).Concat(_otherFolders);
        return folders.FirstOrDefault(
            folder => File.Exists(Path.Combine(folder, "postgres")) && File.Exists(Path.Combine(folder, "initdb")));
    }

    /// <summary>The path of a program, or null.</summary>
    public static string? Find(string program) =>
        SearchPath.Concat(_otherFolders).Select(folder => Path.Combine(folder, program)).FirstOrDefault(File.Exists);

    private static IEnumerable<string> SearchPath =>
        (Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator, StringSplitOptions.RemoveEmptyEntries);

    // /usr/lib/postgresql/15/bin on Debian, /usr/pgsql-15/bin on Red Hat, /opt/homebrew/opt/postgresql@15/bin on macOS.
    private static IEnumerable<string> VersionFolders() =>
        from place in (IEnumerable<(string Parent, string Pattern)>)
            [.. _parentsOfVersions.Select(
                parent => (parent, parent.EndsWith("/opt", StringComparison.Ordinal) ? "postgresql*" : "*")), ("/usr", "pgsql-*")]
        where Directory.Exists(place.Parent)
        from folder in Directory.GetDirectories(place.Parent, place.Pattern).OrderByDescending(VersionOf)
        select Path.Combine(folder, "bin");

    private static int VersionOf(string folder) =>
        int.TryParse(
            Path.GetFileName(folder).Split('@', '-')[^1], NumberStyles.None, CultureInfo.InvariantCulture, out var version)
                ? version
                : 0;
}
