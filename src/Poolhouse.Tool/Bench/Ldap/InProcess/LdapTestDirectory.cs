using System.Text;
using Poolhouse.Tool.Bench.Ldap.InProcess.Protocol;

namespace Poolhouse.Tool.Bench.Ldap.InProcess;

/// <summary>
/// The entries of an <see cref="LdapTestServer"/>, in memory. The test fills and inspects them, while clients may change them.
/// </summary>
/// <remarks>
/// <para>
/// There is no schema: every attribute is allowed everywhere, and its values are compared without regard to case and extra
/// spaces, except for those known to hold octets (passwords, certificates, pictures) or names (<c>member</c>, <c>manager</c> and
/// the like). Greater and less compare numbers as numbers.
/// </para>
/// <para>The attribute <c>userPassword</c>, in plain text, is what binds are checked against; no search ever returns it.</para>
/// <para>Thread safe.</para>
/// </remarks>
// Invariants
//   every entry but the base has its parent in _nodes, and is in that parent's Children, in order of addition
//   an entry never changes: a change puts another into its node, so that searches work on what they found
// Locks
//   _gate guards the nodes; filters run under it, and they are ours
internal sealed partial class LdapTestDirectory
{
    private readonly Lock _gate = new();
    private readonly Dictionary<string, Node> _nodes = new(StringComparer.Ordinal);
    private readonly TimeProvider _time;

    internal LdapTestDirectory(string baseDn, TimeProvider time)
    {
        _time = time;
        Base = Parse(baseDn);
        _nodes.Add(Base.Key, new Node(Entry(Base, LdapEntryAttributes.OfName(Base.Rdn)), parent: null));
    }

    /// <summary>How many entries there are, the base among them.</summary>
    public int Count
    {
        get
        {
            lock (_gate)
            {
                return _nodes.Count;
            }
        }
    }

    internal LdapDn Base { get; }

    /// <summary>Adds an entry.</summary>
    /// <param name="dn">Its distinguished name; the entry above exists.</param>
    /// <param name="attributes">
    /// Names and values; a name may come more than once. Values that the name of the entry has are added where they are missing.
    /// </param>
    /// <returns>The entry.</returns>
    /// <exception cref="ArgumentException"><paramref name="dn"/> is no distinguished name, or a name of an attribute is
    /// empty.</exception>
    /// <exception cref="InvalidOperationException">There is such an entry already, or none above it.</exception>
    public LdapTestEntry Add(string dn, params IReadOnlyList<(string Name, string Value)> attributes)
    {
        ArgumentNullException.ThrowIfNull(attributes);
        var name = Parse(dn);
        lock (_gate)
        {
            if (_nodes.ContainsKey(name.Key))
            {
                throw new InvalidOperationException($"The directory has an entry '{name}' already.");
            }

            var values = attributes.Select(each => (each.Name, Encoding.UTF8.GetBytes(each.Value)));
            return Put(name, LdapEntryAttributes.Group(values));
        }
    }

    /// <summary>Removes an entry and all below it.</summary>
    /// <param name="dn">Its distinguished name; not that of the base.</param>
    /// <returns>Whether it was there.</returns>
    /// <exception cref="ArgumentException"><paramref name="dn"/> is no distinguished name.</exception>
    /// <exception cref="InvalidOperationException">It is the base.</exception>
    public bool Remove(string dn)
    {
        var name = Parse(dn);
        lock (_gate)
        {
            if (!_nodes.TryGetValue(name.Key, out var node))
            {
                return false;
            }

            if (node.Parent is not { } parent)
            {
                throw new InvalidOperationException($"The base '{Base}' of the directory stays.");
            }

            parent.Children.Remove(node);
            foreach (var each in node.Subtree())
            {
                _nodes.Remove(each.Entry.Name.Key);
            }

            return true;
        }
    }

    /// <summary>Looks up an entry.</summary>
    /// <param name="dn">Its distinguished name.</param>
    /// <returns>The entry; null: there is none.</returns>
    /// <exception cref="ArgumentException"><paramref name="dn"/> is no distinguished name.</exception>
    public LdapTestEntry? Find(string dn)
    {
        var name = Parse(dn);
        lock (_gate)
        {
            return _nodes.GetValueOrDefault(name.Key)?.Entry;
        }
    }

    /// <summary>
    /// Sets the password with which clients bind as an entry. It holds for the next bind; connections stay bound.
    /// </summary>
    /// <param name="dn">The distinguished name of the entry.</param>
    /// <param name="password">The only password from now on; not empty.</param>
    /// <exception cref="ArgumentException"><paramref name="dn"/> is no distinguished name, or the password is empty.</exception>
    /// <exception cref="InvalidOperationException">There is no such entry.</exception>
    public void SetPassword(string dn, string password)
    {
        ArgumentException.ThrowIfNullOrEmpty(password);
        SetValues(dn, LdapMatching.Password, password);
    }

    /// <summary>Replaces the values of an attribute.</summary>
    /// <param name="dn">The distinguished name of the entry.</param>
    /// <param name="attribute">The name of the attribute.</param>
    /// <param name="values">The values from now on; none removes the attribute.</param>
    /// <exception cref="ArgumentException"><paramref name="dn"/> is no distinguished name, or the attribute's name is
    /// empty.</exception>
    /// <exception cref="InvalidOperationException">There is no such entry.</exception>
    public void SetValues(string dn, string attribute, params IReadOnlyList<string> values)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(attribute);
        ArgumentNullException.ThrowIfNull(values);
        var name = Parse(dn);
        lock (_gate)
        {
            var node = _nodes.GetValueOrDefault(name.Key)
                ?? throw new InvalidOperationException($"The directory has no entry '{name}'.");
            var changed = new LdapAttribute(attribute, [.. values.Select(Encoding.UTF8.GetBytes)]);
            node.Entry = Changed(
                node.Entry,
                [.. node.Entry.Attributes.Where(each => !each.Is(changed)), changed]);
        }
    }

    /// <summary>
    /// Adds entries in the form of LDIF (RFC 2849): content records, in which an entry comes after the one above it.
    /// </summary>
    /// <param name="text">The records. Values may be folded and in base 64, not in files.</param>
    /// <returns>How many records there were. An entry that exists gets the attributes of its record instead of its own.</returns>
    /// <exception cref="FormatException">The text is no LDIF, or has change records; nothing was added.</exception>
    /// <exception cref="InvalidOperationException">There is no entry above one of them; those before it were added.</exception>
    public int LoadLdif(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        var records = LdifReader.Read(text);
        foreach (var (name, attributes) in records)
        {
            lock (_gate)
            {
                Put(name, LdapEntryAttributes.Group(attributes));
            }
        }

        return records.Count;
    }

    private static LdapDn Parse(string dn)
    {
        ArgumentNullException.ThrowIfNull(dn);
        return LdapDn.TryParse(dn, out var name)
            ? name
            : throw new ArgumentException($"'{dn}' is no distinguished name, such as 'uid=ann,dc=example,dc=org'.", nameof(dn));
    }

    // Under the gate.
    private LdapTestEntry Put(LdapDn name, IEnumerable<LdapAttribute> attributes)
    {
        var entry = Entry(name, LdapEntryAttributes.WithName(name, attributes));
        if (_nodes.TryGetValue(name.Key, out var existing))
        {
            return existing.Entry = entry;
        }

        var parent = _nodes.GetValueOrDefault(name.Parent.Key)
            ?? throw new InvalidOperationException($"The directory has no entry '{name.Parent}' to add '{name}' below it.");
        Attach(entry, parent);
        return entry;
    }

    private void Attach(LdapTestEntry entry, Node parent)
    {
        var node = new Node(entry, parent);
        parent.Children.Add(node);
        _nodes.Add(entry.Name.Key, node);
    }

    private LdapTestEntry Entry(LdapDn name, IEnumerable<LdapAttribute> attributes)
    {
        var now = _time.GetUtcNow();
        return new LdapTestEntry(name, attributes, now, now, Guid.NewGuid());
    }

    private LdapTestEntry Changed(LdapTestEntry entry, IEnumerable<LdapAttribute> attributes) =>
        new(entry.Name, attributes, entry.Created, _time.GetUtcNow(), entry.Id);

    private sealed class Node(LdapTestEntry entry, Node? parent)
    {
        public LdapTestEntry Entry { get; set; } = entry;

        public Node? Parent { get; } = parent;

        public List<Node> Children { get; } = [];

        /// <summary>This node and all below it, each after its parent.</summary>
        public IEnumerable<Node> Subtree()
        {
            var open = new Stack<Node>([this]);
            while (open.TryPop(out var node))
            {
                yield return node;
                for (var i = node.Children.Count - 1; i >= 0; i--)
                {
                    open.Push(node.Children[i]);
                }
            }
        }
    }
}
