using System.Data.Common;
using System.Text.RegularExpressions;

namespace Poolhouse.Data.Opening;

/// <summary>What tools call a host.</summary>
internal static partial class HostName
{
    private const string Unnamed = "host";

#pragma warning disable CA1031 // A name is not worth an exception of a provider.
    /// <summary>
    /// The server that a provider's connection reports, if it is nothing but an address: a file name or other text may contain a
    /// secret.
    /// </summary>
    public static string Of(DbDataSource source)
    {
        try
        {
            using var connection = source.CreateConnection();
            return Address().IsMatch(connection.DataSource) ? connection.DataSource : Unnamed;
        }
        catch (Exception)
        {
            return Unnamed;
        }
    }
#pragma warning restore CA1031

    // Without a time limit: it reads a hundred characters at most, and a process that stalls must not rename its hosts.
    [GeneratedRegex(@"^(tcp://)?[\w.\-\[\]:,\\]{1,100}$", RegexOptions.ExplicitCapture, Timeout.Infinite)]
    private static partial Regex Address();
}
