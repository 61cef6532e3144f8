namespace Poolhouse.Tool.Bench.Ldap.InProcess.Protocol;

/// <summary>The attributes of an entry that a search returns (RFC 4511, section 4.5.1.8).</summary>
internal static class LdapSelection
{
    private const string AllUserAttributes = "*";
    private const string AllOperationalAttributes = "+"; // RFC 3673

    public static IEnumerable<LdapAttribute> From(LdapTestEntry entry, LdapRequest.Search search)
    {
        var requested = search.Attributes;
        var allUser = requested.Count == 0 || requested.Contains(AllUserAttributes, StringComparer.Ordinal);
        var allOperational = requested.Contains(AllOperationalAttributes, StringComparer.Ordinal);
        var names = requested.Select(LdapMatching.CanonicalName).ToHashSet(StringComparer.Ordinal);
        return
            from each in entry.Attributes.Select(attribute => (Attribute: attribute, All: allUser))
                .Concat(entry.OperationalAttributes.Select(attribute => (Attribute: attribute, All: allOperational)))
            where (each.All || names.Contains(each.Attribute.CanonicalName))
                && !string.Equals(each.Attribute.CanonicalName, LdapMatching.Password, StringComparison.Ordinal)
            select search.TypesOnly ? each.Attribute.With([]) : each.Attribute;
    }
}
