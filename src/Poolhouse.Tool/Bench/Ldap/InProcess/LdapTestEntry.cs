using System.Globalization;
using System.Text;
using Poolhouse.Tool.Bench.Ldap.InProcess.Protocol;

namespace Poolhouse.Tool.Bench.Ldap.InProcess;

/// <summary>
/// An entry of an <see cref="LdapTestDirectory"/> at the moment of the call. Later changes create another entry.
/// </summary>
/// <remarks>Thread safe.</remarks>
internal sealed class LdapTestEntry
{
    private readonly LdapAttribute[] _attributes;
    private readonly LdapAttribute[] _operational;

    internal LdapTestEntry(
        LdapDn name, IEnumerable<LdapAttribute> attributes, DateTimeOffset created, DateTimeOffset modified, Guid id)
        : this(
            name,
            attributes,
            [
                Operational("entryDN", name.Text),
                Operational("entryUUID", id.ToString()),
                Operational("createTimestamp", Time(created)),
                Operational("modifyTimestamp", Time(modified)),
            ])
    {
        Created = created;
        Id = id;
    }

    internal LdapTestEntry(LdapDn name, IEnumerable<LdapAttribute> attributes, LdapAttribute[] operational)
    {
        Name = name;
        _attributes = [.. attributes.Where(attribute => attribute.Values.Count > 0)];
        _operational = operational;
    }

    /// <summary>The distinguished name, as it was written when the entry was made.</summary>
    public string Dn => Name.Text;

    /// <summary>The names of the attributes, as they were written, without those that the server keeps itself.</summary>
    public IReadOnlyList<string> AttributeNames => [.. _attributes.Select(attribute => attribute.Name)];

    internal LdapDn Name { get; }

    internal DateTimeOffset Created { get; }

    internal Guid Id { get; }

    internal IReadOnlyList<LdapAttribute> Attributes => _attributes;

    internal IReadOnlyList<LdapAttribute> OperationalAttributes => _operational;

    /// <summary>The values of an attribute as texts.</summary>
    /// <param name="attribute">Its name, in whatever case.</param>
    /// <returns>The values; empty where the entry does not have the attribute.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="attribute"/> is null.</exception>
    public IReadOnlyList<string> GetValues(string attribute) =>
        [.. GetBytes(attribute).Select(value => LdapMatching.Text(value))];

    /// <summary>The values of an attribute.</summary>
    /// <param name="attribute">Its name, in whatever case.</param>
    /// <returns>Copies of the values; empty where the entry does not have the attribute.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="attribute"/> is null.</exception>
    public IReadOnlyList<byte[]> GetBytes(string attribute)
    {
        ArgumentNullException.ThrowIfNull(attribute);
        return [.. ValuesOf(LdapMatching.CanonicalName(attribute)).Select(value => (byte[])value.Clone())];
    }

    /// <summary>The values of an attribute, given its canonical name.</summary>
    internal IReadOnlyList<byte[]> ValuesOf(string canonicalName) =>
        Find(_attributes, canonicalName) ?? Find(_operational, canonicalName) ?? [];

    // A loop, because every filter on every entry comes here.
    private static IReadOnlyList<byte[]>? Find(LdapAttribute[] attributes, string canonicalName)
    {
        foreach (var attribute in attributes)
        {
            if (string.Equals(attribute.CanonicalName, canonicalName, StringComparison.Ordinal))
            {
                return attribute.Values;
            }
        }

        return null;
    }

    private static LdapAttribute Operational(string name, string value) => new(name, [Encoding.UTF8.GetBytes(value)]);

    private static string Time(DateTimeOffset time) =>
        time.UtcDateTime.ToString("yyyyMMddHHmmss'Z'", CultureInfo.InvariantCulture);
}
