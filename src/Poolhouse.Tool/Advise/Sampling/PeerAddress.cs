using System.Globalization;
using System.Net;

namespace Poolhouse.Tool.Advise.Sampling;

/// <summary>Reads the address of a connection from the text in an event of System.Net.Sockets.</summary>
internal static class PeerAddress
{
    /// <summary>The address and port; null for other kinds of sockets.</summary>
    /// <param name="text">A socket address, <c>InterNetwork:16:{21,56,127,0,0,1,…}</c>, or an end point.</param>
    public static (string Address, int Port)? Parse(string? text)
    {
        if (string.IsNullOrEmpty(text))
        {
            return null;
        }

        var begin = text.IndexOf('{', StringComparison.Ordinal);
        if (begin < 0)
        {
            return IPEndPoint.TryParse(text, out var end) ? (Plain(end.Address), end.Port) : null;
        }

        var bytes = new List<byte>();
        foreach (var number in text[(begin + 1)..].TrimEnd('}').Split(','))
        {
            if (!byte.TryParse(number, NumberStyles.None, CultureInfo.InvariantCulture, out var value))
            {
                return null;
            }

            bytes.Add(value);
        }

        // The port, then 4 bytes of address, or 4 of flow and 16 of address.
        var address = text.StartsWith("InterNetworkV6", StringComparison.Ordinal)
            ? bytes.Count >= 22 ? bytes[6..22] : null
            : text.StartsWith("InterNetwork", StringComparison.Ordinal) && bytes.Count >= 6 ? bytes[2..6] : null;
        return address is null ? null : (Plain(new IPAddress(address.ToArray())), (bytes[0] << 8) + bytes[1]);
    }

    /// <summary>The text of an address, of IPv4 if it is one.</summary>
    public static string Plain(IPAddress address) =>
        (address.IsIPv4MappedToIPv6 ? address.MapToIPv4() : address).ToString();
}
