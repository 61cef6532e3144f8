using System.Globalization;
using System.Text;

namespace Poolhouse.Tool.Bench.Ldap.InProcess;

/// <summary>Reads content records of LDIF (RFC 2849).</summary>
internal static class LdifReader
{
    /// <exception cref="FormatException">The text is something else; the message has the line.</exception>
    public static List<(LdapDn Name, List<(string Name, byte[] Value)> Attributes)> Read(string text)
    {
        var records = new List<(LdapDn, List<(string, byte[])>)>();
        List<(string, byte[])>? record = null;
        foreach (var (number, line) in Unfold(text))
        {
            if (line.Length == 0)
            {
                record = null;
                continue;
            }

            var (name, value) = ReadLine(number, line);
            if (string.Equals(name, "dn", StringComparison.OrdinalIgnoreCase) && record is null)
            {
                var dn = LdapDn.TryParse(LdapMatching.Text(value), out var parsed) && parsed.Depth > 0
                    ? parsed
                    : throw Bad(number, "no distinguished name");
                records.Add((dn, record = []));
            }
            else if (record is not null && !string.Equals(name, "changetype", StringComparison.OrdinalIgnoreCase))
            {
                record.Add((name, value));
            }
            else if (record is not null
                || records.Count > 0
                || !string.Equals(name, "version", StringComparison.OrdinalIgnoreCase))
            {
                throw Bad(number, record is null ? "a record begins with dn" : "only content records are read here");
            }
        }

        return records;
    }

    private static (string Name, byte[] Value) ReadLine(int number, string line)
    {
        var colon = line.IndexOf(':', StringComparison.Ordinal);
        if (colon <= 0)
        {
            throw Bad(number, "no name and colon");
        }

        var value = line[(colon + 1)..];
        try
        {
            return value switch
            {
                [':', .. var encoded] => (line[..colon], Convert.FromBase64String(encoded.Trim())),
                ['<', ..] => throw Bad(number, "values from files are not read here"),
                _ => (line[..colon], Encoding.UTF8.GetBytes(value.TrimStart(' '))),
            };
        }
        catch (FormatException e) when (value is [':', ..])
        {
            throw new FormatException(Bad(number, "no base 64").Message, e);
        }
    }

    // A line that begins with a space continues the line before it; comments fold, too.
    private static IEnumerable<(int Number, string Line)> Unfold(string text)
    {
        var (start, whole) = (0, (StringBuilder?)null);
        var number = 0;
        foreach (var line in text.ReplaceLineEndings("\n").Split('\n'))
        {
            number++;
            if (line.StartsWith(' ') && whole is { Length: > 0 })
            {
                whole.Append(line.AsSpan(1));
                continue;
            }

            if (whole is not null && !StartsComment(whole))
            {
                yield return (start, whole.ToString());
            }

            (start, whole) = (number, new StringBuilder(line));
        }

        if (whole is not null && !StartsComment(whole))
        {
            yield return (start, whole.ToString());
        }
    }

    private static bool StartsComment(StringBuilder line) => line.Length > 0 && line[0] == '#';

    private static FormatException Bad(int line, string what) =>
        new(string.Create(CultureInfo.InvariantCulture, $"LDIF, line {line}: {what}."));
}
