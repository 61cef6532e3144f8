using System.Text;
using Poolhouse.Tool.Bench.Ldap.InProcess.Protocol;

namespace Poolhouse.Tool.Bench.Ldap.InProcess;

/// <summary>
/// The rules for the attributes of an entry: how its name, an addition and a modification change them, and what is invalid.
/// </summary>
// Invalid input of clients ends in a result, not in an exception.
internal static class LdapEntryAttributes
{
    /// <summary>The attributes of values in any order: those of one attribute together.</summary>
    public static List<LdapAttribute> Group(IEnumerable<(string Name, byte[] Value)> values) =>
    [
        .. values.GroupBy(each => LdapMatching.CanonicalName(each.Name), StringComparer.Ordinal)
            .Select(group => new LdapAttribute(group.First().Name, [.. group.Select(each => each.Value)])),
    ];

    /// <summary>The attributes of an entry that has only its name, such as the base of a directory.</summary>
    public static List<LdapAttribute> OfName(LdapRdn rdn) =>
        Group(
        [
            .. rdn.Values.Select(each => (each.Name, Encoding.UTF8.GetBytes(each.Value))),
            .. (IEnumerable<(string, byte[])>)
                (string.Equals(LdapMatching.CanonicalName(rdn.Values[0].Name), "dc", StringComparison.Ordinal)
                    ?
                    [
                        ("objectClass", "organization"u8.ToArray()),
                        ("objectClass", "dcObject"u8.ToArray()),
                        ("o", Encoding.UTF8.GetBytes(rdn.Values[0].Value)),
                    ]
                    : [("objectClass", "top"u8.ToArray())]),
        ]);

    /// <summary>Attributes, with the values that the name of the entry has where they are missing.</summary>
    public static List<LdapAttribute> WithName(LdapDn name, IEnumerable<LdapAttribute> attributes)
    {
        var all = attributes.ToList();
        foreach (var (attribute, value) in name.Depth == 0 ? [] : name.Rdn.Values)
        {
            Add(all, new LdapAttribute(attribute, [Encoding.UTF8.GetBytes(value)]));
        }

        return all;
    }

    /// <summary>The attributes of an entry without the values of a former name.</summary>
    public static IEnumerable<LdapAttribute> Without(LdapTestEntry entry, LdapRdn rdn)
    {
        var old = Group(rdn.Values.Select(each => (each.Name, Encoding.UTF8.GetBytes(each.Value))));
        return
            from attribute in entry.Attributes
            let gone = old.Find(attribute.Is)
            select gone is null ? attribute : attribute.With([.. attribute.Values.Where(value => !gone.Has(value))]);
    }

    /// <summary>Adds the values that are not there.</summary>
    public static void Add(List<LdapAttribute> attributes, LdapAttribute added)
    {
        var at = attributes.FindIndex(each => each.Is(added));
        if (at < 0)
        {
            attributes.Add(added);
        }
        else
        {
            var there = attributes[at];
            attributes[at] = there.With([.. there.Values, .. added.Values.Where(value => !there.Has(value))]);
        }
    }

    /// <summary>Applies a change of a modify request.</summary>
    public static LdapResult Apply(LdapChange change, LdapAttribute attribute, List<LdapAttribute> attributes)
    {
        var at = attributes.FindIndex(attribute.Is);
        if (change == LdapChange.Add)
        {
            if (CheckAdded(attribute, attributes) is { Code: not LdapTestResultCode.Success } error)
            {
                return error;
            }

            Add(attributes, attribute);
            return LdapResult.Success;
        }

        if (change == LdapChange.Delete)
        {
            if (at < 0 || attribute.Values.Any(value => !attributes[at].Has(value)))
            {
                return new(LdapTestResultCode.NoSuchAttribute, $"modify/delete: {attribute.Name}: no such value");
            }

            var rest = attributes[at].Values.Where(value => attribute.Values.Count > 0 && !attribute.Has(value)).ToList();
            attributes[at] = attributes[at].With(rest);
        }
        else if (at >= 0)
        {
            attributes[at] = attribute;
        }
        else
        {
            attributes.Add(attribute);
        }

        attributes.RemoveAll(each => each.Values.Count == 0);
        return LdapResult.Success;
    }

    /// <summary>Checks values to be added: at least one, each once, none there.</summary>
    public static LdapResult CheckAdded(LdapAttribute attribute, List<LdapAttribute> attributes)
    {
        if (attribute.Values.Count == 0 || attribute.Name.Length == 0)
        {
            return new(LdapTestResultCode.ProtocolError, "no values given");
        }

        var there = attributes.Find(attribute.Is);
        if (!attribute.IsDistinct || (there is not null && attribute.Values.Any(there.Has)))
        {
            return new(LdapTestResultCode.AttributeOrValueExists, $"{attribute.Name}: value exists");
        }

        return LdapResult.Success;
    }

    /// <summary>Checks that an entry has an object class and the values of its name.</summary>
    public static LdapResult CheckEntry(LdapDn name, List<LdapAttribute> attributes)
    {
        if (!attributes.Exists(each => string.Equals(each.CanonicalName, "objectclass", StringComparison.Ordinal)))
        {
            return new(LdapTestResultCode.ObjectClassViolation, "no objectClass attribute");
        }

        foreach (var (attribute, value) in name.Rdn.Values)
        {
            var naming = new LdapAttribute(attribute, [Encoding.UTF8.GetBytes(value)]);
            if (!attributes.Exists(each => each.Is(naming) && each.Has(naming.Values[0])))
            {
                return new(
                    LdapTestResultCode.NamingViolation, $"value of naming attribute '{attribute}' is not present in entry");
            }
        }

        return LdapResult.Success;
    }
}
