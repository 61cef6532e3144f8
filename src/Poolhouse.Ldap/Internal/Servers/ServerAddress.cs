using System.Globalization;

namespace Poolhouse.Ldap.Internal.Servers;

/// <summary>A server as written in a setting. An empty host means that the text is invalid.</summary>
internal readonly record struct ServerAddress(string Text, string Host, int? Port, bool? IsSecure)
{
    private const string Plain = "ldap://";
    private const string Secure = "ldaps://";

    private static readonly System.Buffers.SearchValues<char> _separators = System.Buffers.SearchValues.Create(" \t,;/?#@%\"'\0");

    public static ServerAddress Read(string? text)
    {
        var rest = (text ?? "").Trim();
        bool? secure = null;
        if (rest.StartsWith(Secure, StringComparison.OrdinalIgnoreCase))
        {
            (rest, secure) = (rest[Secure.Length..], true);
        }
        else if (rest.StartsWith(Plain, StringComparison.OrdinalIgnoreCase))
        {
            (rest, secure) = (rest[Plain.Length..], false);
        }

        rest = rest.TrimEnd('/');

        // An IPv6 address contains colons, so it is in brackets if a port follows.
        var end =
            rest.StartsWith('[') ? rest.IndexOf(']', StringComparison.Ordinal) + 1 : rest.IndexOf(':', StringComparison.Ordinal);
        var (host, port) = end <= 0 || end == rest.Length ? (rest, "") : (rest[..end], rest[end..]);
        if (port.Length == 0)
        {
            return IsName(host) ? new(text!, host, null, secure) : Unreadable(text);
        }

        return IsName(host) && port[0] == ':'
            && int.TryParse(port.AsSpan(1), NumberStyles.None, CultureInfo.InvariantCulture, out var number)
            && number is >= 1 and <= 65_535
            ? new(text!, host, number, secure)
            : Unreadable(text);
    }

    // Text that libldap or Windows would interpret as more than one name.
    private static bool IsName(string host) =>
        host.Length > 0 && !host.AsSpan().ContainsAny(_separators) && (host[0] == '[') == host.EndsWith(']');

    // It may be anything, such as a URI with a password in it.
    private static ServerAddress Unreadable(string? text) =>
        new(string.IsNullOrEmpty(text) ? "empty" : "(not shown)", "", null, null);
}
