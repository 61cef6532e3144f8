using System.DirectoryServices.Protocols;
using System.Globalization;

namespace Poolhouse.Ldap.Internal.Servers;

/// <summary>The servers of a domain from its SRV records (RFC 2782).</summary>
internal static class SrvRecords
{
    /// <summary>The longest domain that fits into a name of 253 characters behind <c>_ldap._tcp.</c>.</summary>
    public const int LongestDomain = 253 - 11;

    private const int LongestLabel = 63;

    private static readonly System.Buffers.SearchValues<char> _letters =
        System.Buffers.SearchValues.Create("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_");

    /// <summary>Whether a text is a domain that can be looked up.</summary>
    public static bool IsDomain(string text) =>
        text.Length is > 0 and <= LongestDomain
        && Array.TrueForAll(
            text.Split('.'),
            static label => label.Length is > 0 and <= LongestLabel && !label.AsSpan().ContainsAnyExcept(_letters));

    /// <summary>Looks up the servers of a domain: blocking, for the pool's threads.</summary>
    /// <param name="domain">The domain.</param>
    /// <param name="ask">Queries DNS.</param>
    /// <returns>At least one, the most preferred first, each once.</returns>
    /// <exception cref="LdapException">There is none, or the lookup failed.</exception>
    public static IReadOnlyList<LdapServer> LookUp(string domain, Func<string, DnsAnswer> ask)
    {
        var answer = ask(domain);
        List<LdapServer> servers = [.. (answer.Hosts ?? "").Split(' ', StringSplitOptions.RemoveEmptyEntries).Select(Read)
            .OfType<LdapServer>().Distinct()];
        if (servers.Count > 0)
        {
            return servers;
        }

        throw answer.IsDefinite ? NoneExists(domain) : Failed(domain, answer.Reason);
    }

    public static LdapException NoneExists(string domain) => new(
        LdapResults.NoResults,
        $"DNS has no SRV records _ldap._tcp.{domain} that name a server. Check DnsDomain, or set Servers instead.");

    public static LdapException Failed(string domain, string reason, Exception? cause = null) => new(
        LdapResults.ServerDown,
        $"The lookup of the SRV records _ldap._tcp.{domain} failed: {reason}. Check the name servers of this machine, or set " +
        "Servers instead.",
        cause);

    // Names in DNS are case-insensitive, and caches return them in the case of the first query.
    private static LdapServer? Read(string text)
    {
        var colon = text.LastIndexOf(':');
        return colon > 0 && text[..colon].Trim('.').ToLowerInvariant() is { Length: > 0 } host
            && int.TryParse(text.AsSpan(colon + 1), NumberStyles.None, CultureInfo.InvariantCulture, out var port)
            && port is >= 1 and <= 65_535
            ? new LdapServer(host, port)
            : null;
    }
}
