using System.Globalization;

namespace Poolhouse.Ldap.Tests.Servers;

/// <summary>
/// The connections of this machine to a port of 127.0.0.1, as listed by the kernel: a server detects the end of one a little
/// later.
/// </summary>
internal static class OpenConnections
{
    private const string Table = "/proc/net/tcp";
    private const string Established = "01";

    public static bool CanCount => File.Exists(Table);

    public static int To(int port)
    {
        var peer = string.Create(CultureInfo.InvariantCulture, $":{port:X4}");
        return CanCount
            ? File.ReadLines(Table).Select(line => line.Split(' ', StringSplitOptions.RemoveEmptyEntries))
                .Where(fields => fields.Length > 3 && fields[2].EndsWith(peer, StringComparison.Ordinal)
                    && string.Equals(fields[3], Established, StringComparison.Ordinal))
                .Select(fields => fields[1])
                .Distinct(StringComparer.Ordinal)
                .Count()
            : 0;
    }
}
