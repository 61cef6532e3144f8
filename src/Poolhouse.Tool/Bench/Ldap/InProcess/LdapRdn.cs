using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Text;

namespace Poolhouse.Tool.Bench.Ldap.InProcess;

/// <summary>One part of a distinguished name: <c>uid=ann</c>, or several values, <c>cn=Ann+sn=Bell</c>.</summary>
internal sealed class LdapRdn
{
    private static readonly SearchValues<char> _typeCharacters =
        SearchValues.Create("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.");

    private LdapRdn(string text, (string Name, string Value)[] values)
    {
        Text = text;
        Values = values;
        Key = string.Join('\u0002', values.Select(KeyOf).Order(StringComparer.Ordinal));
    }

    /// <summary>As it was written, without spaces around it.</summary>
    public string Text { get; }

    /// <summary>Its attributes, without escapes.</summary>
    public IReadOnlyList<(string Name, string Value)> Values { get; }

    /// <summary>The same for parts that differ only in writing.</summary>
    public string Key { get; }

    /// <summary>Reads a part of a name; returns false if it is not valid.</summary>
    public static bool TryParse(string text, [NotNullWhen(true)] out LdapRdn? rdn)
    {
        rdn = null;
        var values = new List<(string, string)>();
        foreach (var assertion in LdapDn.SplitUnescaped(text, '+'))
        {
            var equals = assertion.IndexOf('=', StringComparison.Ordinal);
            if (equals < 0)
            {
                return false;
            }

            var name = assertion[..equals].Trim();
            if (name.Length == 0 || name.AsSpan().ContainsAnyExcept(_typeCharacters)
                || !TryUnescape(TrimUnescaped(assertion[(equals + 1)..]), out var value))
            {
                return false;
            }

            values.Add((name, value));
        }

        rdn = new LdapRdn(TrimUnescaped(text), [.. values]);
        return true;
    }

    private static string KeyOf((string Name, string Value) assertion) =>
        LdapMatching.CanonicalName(assertion.Name) + '\u0001' + LdapMatching.Fold(assertion.Value);

    // A space at the end that is escaped belongs to the value.
    private static string TrimUnescaped(string text)
    {
        var trimmed = text.Trim(' ');
        var backslashes = trimmed.Length - trimmed.TrimEnd('\\').Length;
        return backslashes % 2 == 1 && text.TrimEnd(' ').Length < text.Length ? trimmed + ' ' : trimmed;
    }

    private static bool TryUnescape(string text, out string value)
    {
        value = text;
        if (!text.AsSpan().ContainsAny('\\', '"'))
        {
            return true;
        }

        var bytes = new ArrayBufferWriter<byte>(text.Length);
        for (var i = 0; i < text.Length; i++)
        {
            if (text[i] != '\\')
            {
                if (text[i] == '"')
                {
                    return false; // Quotes were the escape of LDAPv2.
                }

                // Two at a time for what lies beyond the basic plane.
                var length = char.IsSurrogatePair(text, i) ? 2 : 1;
                Append(bytes, text.AsSpan(i, length));
                i += length - 1;
            }
            else if (i + 2 < text.Length
                && byte.TryParse(
                    text.AsSpan(i + 1, 2), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out var octet))
            {
                bytes.Write([octet]);
                i += 2;
            }
            else if (++i < text.Length)
            {
                Append(bytes, text.AsSpan(i, 1));
            }
            else
            {
                return false;
            }
        }

        value = Encoding.UTF8.GetString(bytes.WrittenSpan);
        return true;
    }

    private static void Append(ArrayBufferWriter<byte> bytes, ReadOnlySpan<char> characters) =>
        Encoding.UTF8.GetBytes(characters, bytes);
}
