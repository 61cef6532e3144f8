using System.Globalization;
using System.Numerics;
using System.Text;

namespace Poolhouse.Tool.Bench.Ldap.InProcess;

/// <summary>
/// How values are compared. There is no schema: names with a rule of their own are listed, all others ignore case and extra
/// spaces.
/// </summary>
internal static class LdapMatching
{
    /// <summary>The attribute that binds are checked against. It can be written and compared, and is never returned.</summary>
    public const string Password = "userpassword";

    private static readonly Dictionary<string, string> _otherNames = new(StringComparer.OrdinalIgnoreCase)
    {
        ["commonName"] = "cn",
        ["surname"] = "sn",
        ["userid"] = "uid",
        ["domainComponent"] = "dc",
        ["organizationName"] = "o",
        ["organizationalUnitName"] = "ou",
        ["countryName"] = "c",
        ["localityName"] = "l",
        ["stateOrProvinceName"] = "st",
        ["gn"] = "givenname",
        ["rfc822Mailbox"] = "mail",
    };

    private static readonly HashSet<string> _octets =
        new(["userpassword", "usercertificate", "cacertificate", "jpegphoto", "usersmimecertificate", "objectguid", "objectsid"],
            StringComparer.Ordinal);

    private static readonly HashSet<string> _names =
        new(["member", "uniquemember", "memberof", "manager", "owner", "secretary", "seealso", "roleoccupant", "entrydn"],
            StringComparer.Ordinal);

    /// <summary>One spelling for all names of an attribute, without options such as <c>;binary</c>.</summary>
    public static string CanonicalName(string name)
    {
        var options = name.IndexOf(';', StringComparison.Ordinal);
        var type = options < 0 ? name : name[..options];
        return (_otherNames.GetValueOrDefault(type) ?? type).ToLowerInvariant();
    }

    /// <summary>The same for values of an attribute that count as equal.</summary>
    /// <param name="name">Its canonical name.</param>
    /// <param name="value">The value.</param>
    public static string Key(string name, byte[] value)
    {
        if (_octets.Contains(name))
        {
            return Convert.ToBase64String(value);
        }

        var text = Text(value);
        return _names.Contains(name) && LdapDn.TryParse(text, out var dn) ? dn.Key : Fold(text);
    }

    /// <summary>Whether two values of an attribute are the same.</summary>
    public static bool AreEqual(string name, byte[] left, byte[] right) =>
        left.AsSpan().SequenceEqual(right) || string.Equals(Key(name, left), Key(name, right), StringComparison.Ordinal);

    /// <summary>Compares as numbers where both are, otherwise as texts.</summary>
    public static int Compare(byte[] left, byte[] right)
    {
        var (a, b) = (Text(left), Text(right));
        return IsInteger(a, out var x) && IsInteger(b, out var y) ? x.CompareTo(y) : string.CompareOrdinal(Fold(a), Fold(b));
    }

    /// <summary>The text of a value.</summary>
    public static string Text(byte[] value) => Encoding.UTF8.GetString(value);

    /// <summary>A text without differences in case and spaces.</summary>
    public static string Fold(string text) => FoldPart(text).Trim(' ');

    /// <summary>The same for a part of a text, which may begin and end with a space.</summary>
    public static string FoldPart(string text)
    {
        var folded = new StringBuilder(text.Length);
        foreach (var character in text)
        {
            if (character != ' ' || folded.Length == 0 || folded[^1] != ' ')
            {
                folded.Append(char.ToLowerInvariant(character));
            }
        }

        return folded.ToString();
    }

    // Longer numbers than any attribute has would take their time to parse.
    private static bool IsInteger(string text, out BigInteger number)
    {
        number = default;
        return text.Length <= 64
            && BigInteger.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out number);
    }
}
