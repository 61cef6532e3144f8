namespace Poolhouse.Tool.Bench.Ldap.InProcess.Protocol;

/// <summary>An attribute with its values; in a request, perhaps without any. The list and the arrays are never changed.</summary>
internal sealed class LdapAttribute(string name, IReadOnlyList<byte[]> values)
{
    private HashSet<string>? _keys;

    /// <summary>As it was written.</summary>
    public string Name { get; } = name;

    /// <summary>One spelling for all names of the attribute.</summary>
    public string CanonicalName { get; } = LdapMatching.CanonicalName(name);

    public IReadOnlyList<byte[]> Values { get; } = values;

    public bool Is(LdapAttribute other) => string.Equals(CanonicalName, other.CanonicalName, StringComparison.Ordinal);

    public bool Has(byte[] value) => Keys.Contains(LdapMatching.Key(CanonicalName, value));

    /// <summary>Whether no two values are the same.</summary>
    public bool IsDistinct => Keys.Count == Values.Count;

    public LdapAttribute With(IReadOnlyList<byte[]> values) => new(Name, values);

    // A set, because a client may send a hundred thousand values in one message.
    private HashSet<string> Keys =>
        _keys ??= Values.Select(value => LdapMatching.Key(CanonicalName, value)).ToHashSet(StringComparer.Ordinal);
}
