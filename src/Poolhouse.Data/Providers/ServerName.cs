using System.Data.Common;

namespace Poolhouse.Data.Providers;

/// <summary>The name of an unnamed pool in metrics: <c>server:port/database</c>, as far as the provider exposes it.</summary>
internal static class ServerName
{
    /// <summary>The name, or null if there is none that may be shown.</summary>
    public static string? Of(DbConnection connection)
    {
        string? server;
        string? database;
        try
        {
            (server, database) = (connection.DataSource, connection.Database);
        }
#pragma warning disable CA1031 // A provider may know neither while the connection is closed, and a pool can do without.
        catch (Exception)
#pragma warning restore CA1031
        {
            return null;
        }

        var address = AddressIn(server ?? string.Empty);
        var name = string.IsNullOrWhiteSpace(database) ? address : $"{address}/{database}";

        // A part of a connection string that a provider returns could contain a password.
        return address.Length == 0 || name.AsSpan().IndexOfAny(';', '=') >= 0 || name.Any(char.IsControl) ? null : name;
    }

    // "tcp://host:5432", "tcp:host,1433" and "scheme://user:password@host:1/?option=value" contain the same information.
    private static string AddressIn(string server)
    {
        server = server.Split('?', '#')[0];
        var scheme = server.IndexOf("://", StringComparison.Ordinal);
        if (scheme >= 0)
        {
            server = server[(scheme + 3)..];
        }
        else if (server.StartsWith("tcp:", StringComparison.OrdinalIgnoreCase))
        {
            server = server[4..];
        }

        server = server[(server.LastIndexOf('@') + 1)..].Trim();
        var comma = server.IndexOf(',', StringComparison.Ordinal);
        return comma >= 0 && ushort.TryParse(server.AsSpan(comma + 1), out _)
            ? $"{server[..comma]}:{server[(comma + 1)..].Trim()}"
            : server;
    }
}
