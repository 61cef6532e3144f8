namespace Poolhouse.Tool.Bench.Ldap.InProcess.Protocol;

/// <summary>A search filter. It is true, false or, as null, undefined (RFC 4511, section 4.5.1.7).</summary>
internal abstract record LdapFilter
{
    public abstract bool? Matches(LdapTestEntry entry);

    /// <summary>Undefined for an attribute that is never shown, otherwise whether one of its values matches.</summary>
    private static bool? Any(LdapTestEntry entry, string attribute, Func<string, byte[], bool> fits)
    {
        var name = LdapMatching.CanonicalName(attribute);
        return string.Equals(name, LdapMatching.Password, StringComparison.Ordinal)
            ? null
            : entry.ValuesOf(name).Any(value => fits(name, value));
    }

    internal sealed record And(IReadOnlyList<LdapFilter> Parts) : LdapFilter
    {
        public override bool? Matches(LdapTestEntry entry)
        {
            bool? result = true;
            foreach (var part in Parts)
            {
                result &= part.Matches(entry);
                if (result is false)
                {
                    return false;
                }
            }

            return result;
        }
    }

    internal sealed record Or(IReadOnlyList<LdapFilter> Parts) : LdapFilter
    {
        public override bool? Matches(LdapTestEntry entry)
        {
            bool? result = false;
            foreach (var part in Parts)
            {
                result |= part.Matches(entry);
                if (result is true)
                {
                    return true;
                }
            }

            return result;
        }
    }

    internal sealed record Not(LdapFilter Part) : LdapFilter
    {
        public override bool? Matches(LdapTestEntry entry) => !Part.Matches(entry);
    }

    internal sealed record Present(string Attribute) : LdapFilter
    {
        public override bool? Matches(LdapTestEntry entry) => Any(entry, Attribute, static (_, _) => true);
    }

    internal sealed record Equality(string Attribute, byte[] Value) : LdapFilter
    {
        public override bool? Matches(LdapTestEntry entry) =>
            Any(entry, Attribute, (name, value) => LdapMatching.AreEqual(name, value, Value));
    }

    internal sealed record GreaterOrEqual(string Attribute, byte[] Value) : LdapFilter
    {
        public override bool? Matches(LdapTestEntry entry) =>
            Any(entry, Attribute, (_, value) => LdapMatching.Compare(value, Value) >= 0);
    }

    internal sealed record LessOrEqual(string Attribute, byte[] Value) : LdapFilter
    {
        public override bool? Matches(LdapTestEntry entry) =>
            Any(entry, Attribute, (_, value) => LdapMatching.Compare(value, Value) <= 0);
    }

    /// <summary>An extended match, none of whose rules is known here.</summary>
    internal sealed record Unknown : LdapFilter
    {
        public override bool? Matches(LdapTestEntry entry) => null;
    }

    /// <param name="Attribute">The attribute.</param>
    /// <param name="Initial">What a value begins with; empty: anything.</param>
    /// <param name="Middle">What comes then, in this order.</param>
    /// <param name="Final">What it ends with; empty: anything.</param>
    internal sealed record Substring(string Attribute, string Initial, IReadOnlyList<string> Middle, string Final) : LdapFilter
    {
        public override bool? Matches(LdapTestEntry entry) =>
            Any(entry, Attribute, (_, value) => Fits(LdapMatching.Fold(LdapMatching.Text(value)).AsSpan()));

        private bool Fits(ReadOnlySpan<char> rest)
        {
            if (!rest.StartsWith(Initial, StringComparison.Ordinal))
            {
                return false;
            }

            rest = rest[Initial.Length..];
            foreach (var part in Middle)
            {
                var at = rest.IndexOf(part, StringComparison.Ordinal);
                if (at < 0)
                {
                    return false;
                }

                rest = rest[(at + part.Length)..];
            }

            return rest.EndsWith(Final, StringComparison.Ordinal);
        }
    }
}
