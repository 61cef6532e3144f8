using System.Diagnostics.CodeAnalysis;
using System.Text;

namespace Poolhouse.Tool.Bench.Ldap.InProcess;

/// <summary>A distinguished name (RFC 4514), or the empty one.</summary>
internal sealed class LdapDn
{
    /// <summary>Deeper than any directory, and shallow enough that work for each level stays cheap.</summary>
    private const int MaxDepth = 200;

    private readonly LdapRdn[] _rdns;

    private LdapDn(LdapRdn[] rdns) => _rdns = rdns;

    /// <summary>The name of the root entry.</summary>
    public static LdapDn Empty { get; } = new([]);

    /// <summary>How many parts it has.</summary>
    public int Depth => _rdns.Length;

    /// <summary>The first part; not for the empty name.</summary>
    public LdapRdn Rdn => _rdns[0];

    /// <summary>The name as it was written, without spaces around its parts.</summary>
    public string Text => field ??= string.Join(',', _rdns.Select(rdn => rdn.Text));

    /// <summary>The same for names that differ only in writing.</summary>
    public string Key => field ??= string.Join('\u0003', _rdns.Select(rdn => rdn.Key));

    /// <summary>The name without its first part; the empty name is its own.</summary>
    public LdapDn Parent => field ??= Depth == 0 ? this : new LdapDn(_rdns[1..]);

    /// <summary>This name under another entry.</summary>
    public static LdapDn Join(LdapRdn rdn, LdapDn parent) => new([rdn, .. parent._rdns]);

    /// <summary>Whether this is the other name, or one below it.</summary>
    public bool IsWithin(LdapDn other)
    {
        if (Depth < other.Depth)
        {
            return false;
        }

        var above = Depth - other.Depth;
        return !other._rdns.Where((rdn, i) => !string.Equals(rdn.Key, _rdns[above + i].Key, StringComparison.Ordinal)).Any();
    }

    /// <summary>Reads a name; returns false if it is not valid.</summary>
    public static bool TryParse(string text, [NotNullWhen(true)] out LdapDn? dn)
    {
        dn = null;
        if (string.IsNullOrWhiteSpace(text))
        {
            dn = Empty;
            return true;
        }

        var rdns = new List<LdapRdn>();
        foreach (var part in SplitUnescaped(text, ','))
        {
            if (rdns.Count == MaxDepth || !LdapRdn.TryParse(part, out var rdn))
            {
                return false;
            }

            rdns.Add(rdn);
        }

        dn = new LdapDn([.. rdns]);
        return true;
    }

    /// <summary>The parts between separators that no backslash precedes.</summary>
    public static IEnumerable<string> SplitUnescaped(string text, char separator)
    {
        var start = 0;
        for (var i = 0; i < text.Length; i++)
        {
            if (text[i] == '\\')
            {
                i++;
            }
            else if (text[i] == separator)
            {
                yield return text[start..i];
                start = i + 1;
            }
        }

        yield return text[start..];
    }

    /// <summary>Whether two texts are the same name.</summary>
    public static bool AreEqual(string left, string right) =>
        TryParse(left, out var a) && TryParse(right, out var b) && string.Equals(a.Key, b.Key, StringComparison.Ordinal);

    public override string ToString() => Text;
}
