using System.Globalization;

namespace Poolhouse.Tool.Bench.Http;

/// <summary>
/// Counts the sockets that the system keeps for a while after they were closed, as a client that connects for every request
/// leaves them.
/// </summary>
internal static class TimeWait
{
    private const string State = "06";
    private static readonly string[] _tables = ["/proc/net/tcp", "/proc/net/tcp6"];

    /// <returns>The number of all such sockets of this port; null if the system does not provide it.</returns>
    public static int? Count(int port) => File.Exists(_tables[0])
        ? _tables.Where(File.Exists).Sum(table => Count(File.ReadLines(table), port))
        : null;

    /// <summary>Counts in the lines of a table: number, local address, remote address, state.</summary>
    public static int Count(IEnumerable<string> lines, int port)
    {
        var suffix = string.Create(CultureInfo.InvariantCulture, $":{port:X4}");
        return lines.Select(line => line.Split(' ', StringSplitOptions.RemoveEmptyEntries)).Count(columns =>
            columns.Length > 3 && columns[3] == State
            && (columns[1].EndsWith(suffix, StringComparison.Ordinal) || columns[2].EndsWith(suffix, StringComparison.Ordinal)));
    }
}
