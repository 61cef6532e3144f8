using Poolhouse.Tool.Bench.Ldap.InProcess.Protocol;

namespace Poolhouse.Tool.Bench.Ldap.InProcess;

// The requests of clients. Nothing here throws for invalid input: every request ends in a result.
internal sealed partial class LdapTestDirectory
{
    /// <summary>
    /// The entries that a search finds; the base of the search before what is below it, otherwise in order of addition.
    /// </summary>
    internal LdapResult Search(LdapRequest.Search search, out IReadOnlyList<LdapTestEntry> found)
    {
        found = [];
        if (!LdapDn.TryParse(search.BaseDn, out var name))
        {
            return BadName;
        }

        lock (_gate)
        {
            if (!_nodes.TryGetValue(name.Key, out var node))
            {
                return Missing(name);
            }

            var candidates = search.Scope switch
            {
                LdapScope.Base => [node],
                LdapScope.OneLevel => node.Children,
                _ => node.Subtree(),
            };
            found = [.. candidates.Select(each => each.Entry).Where(entry => search.Filter.Matches(entry) is true)];
        }

        return LdapResult.Success;
    }

    /// <summary>The entry with this name and password; null: there is none.</summary>
    internal LdapTestEntry? Authenticate(LdapDn name, byte[] password)
    {
        lock (_gate)
        {
            return _nodes.GetValueOrDefault(name.Key)?.Entry is { } entry
                && entry.ValuesOf(LdapMatching.Password).Any(value => value.AsSpan().SequenceEqual(password))
                    ? entry
                    : null;
        }
    }

    internal LdapResult Compare(LdapRequest.Compare compare)
    {
        if (!LdapDn.TryParse(compare.Dn, out var name))
        {
            return BadName;
        }

        lock (_gate)
        {
            if (!_nodes.TryGetValue(name.Key, out var node))
            {
                return Missing(name);
            }

            var attribute = LdapMatching.CanonicalName(compare.Attribute);
            if (string.Equals(attribute, LdapMatching.Password, StringComparison.Ordinal))
            {
                return LdapTestResultCode.InsufficientAccessRights;
            }

            var values = node.Entry.ValuesOf(attribute);
            return values.Count == 0
                ? LdapTestResultCode.NoSuchAttribute
                : values.Any(value => LdapMatching.AreEqual(attribute, value, compare.Value))
                    ? LdapTestResultCode.CompareTrue
                    : LdapTestResultCode.CompareFalse;
        }
    }

    internal LdapResult Add(LdapRequest.Add add)
    {
        if (!LdapDn.TryParse(add.Dn, out var name) || name.Depth == 0)
        {
            return BadName;
        }

        var attributes = new List<LdapAttribute>();
        foreach (var attribute in add.Attributes)
        {
            if (LdapEntryAttributes.CheckAdded(attribute, attributes) is { Code: not LdapTestResultCode.Success } error)
            {
                return error;
            }

            LdapEntryAttributes.Add(attributes, attribute);
        }

        lock (_gate)
        {
            if (_nodes.ContainsKey(name.Key))
            {
                return LdapTestResultCode.EntryAlreadyExists;
            }

            if (!_nodes.TryGetValue(name.Parent.Key, out var parent))
            {
                return Missing(name.Parent);
            }

            var complete = LdapEntryAttributes.WithName(name, attributes);
            if (LdapEntryAttributes.CheckEntry(name, complete) is { Code: not LdapTestResultCode.Success } error)
            {
                return error;
            }

            Attach(Entry(name, complete), parent);
            return LdapResult.Success;
        }
    }

    internal LdapResult Delete(LdapRequest.Delete delete)
    {
        if (!LdapDn.TryParse(delete.Dn, out var name))
        {
            return BadName;
        }

        lock (_gate)
        {
            if (!_nodes.TryGetValue(name.Key, out var node))
            {
                return Missing(name);
            }

            if (node.Children.Count > 0)
            {
                return new(LdapTestResultCode.NotAllowedOnNonLeaf, "subordinate objects must be deleted first");
            }

            if (node.Parent is not { } parent)
            {
                return new(LdapTestResultCode.UnwillingToPerform, "the base of the directory stays");
            }

            parent.Children.Remove(node);
            _nodes.Remove(name.Key);
            return LdapResult.Success;
        }
    }

    internal LdapResult Modify(LdapRequest.Modify modify)
    {
        if (!LdapDn.TryParse(modify.Dn, out var name))
        {
            return BadName;
        }

        lock (_gate)
        {
            if (!_nodes.TryGetValue(name.Key, out var node))
            {
                return Missing(name);
            }

            // All changes or none.
            var attributes = node.Entry.Attributes.ToList();
            foreach (var (change, attribute) in modify.Changes)
            {
                if (LdapEntryAttributes.Apply(change, attribute, attributes) is { Code: not LdapTestResultCode.Success } error)
                {
                    return error;
                }
            }

            if (LdapEntryAttributes.CheckEntry(name, attributes) is { Code: not LdapTestResultCode.Success } wrong)
            {
                return wrong;
            }

            node.Entry = Changed(node.Entry, attributes);
            return LdapResult.Success;
        }
    }

    internal LdapResult ModifyDn(LdapRequest.ModifyDn rename)
    {
        var superior = LdapDn.Empty;
        if (!LdapDn.TryParse(rename.Dn, out var name) || !LdapDn.TryParse(rename.NewRdn, out var first) || first.Depth != 1
            || (rename.NewSuperior is { } above && !LdapDn.TryParse(above, out superior)))
        {
            return BadName;
        }

        lock (_gate)
        {
            if (!_nodes.TryGetValue(name.Key, out var node))
            {
                return Missing(name);
            }

            if (node.Children.Count > 0 || node.Parent is null)
            {
                return new(LdapTestResultCode.NotAllowedOnNonLeaf, "only an entry without others below it can be renamed here");
            }

            var newParent = rename.NewSuperior is null ? name.Parent : superior;
            if (!_nodes.TryGetValue(newParent.Key, out var parent) || parent == node)
            {
                return Missing(newParent);
            }

            var newName = LdapDn.Join(first.Rdn, newParent);
            if (_nodes.TryGetValue(newName.Key, out var taken) && taken != node)
            {
                return LdapTestResultCode.EntryAlreadyExists;
            }

            node.Parent.Children.Remove(node);
            _nodes.Remove(name.Key);
            var kept = rename.DeleteOldRdn ? LdapEntryAttributes.Without(node.Entry, name.Rdn) : node.Entry.Attributes;
            var attributes = LdapEntryAttributes.WithName(newName, kept);
            Attach(new LdapTestEntry(newName, attributes, node.Entry.Created, _time.GetUtcNow(), node.Entry.Id), parent);
            return LdapResult.Success;
        }
    }

    private static LdapResult BadName => new(LdapTestResultCode.InvalidDnSyntax, "invalid DN");

    // Under the gate.
    private LdapResult Missing(LdapDn name)
    {
        var above = name;
        while (above.Depth > 0)
        {
            above = above.Parent;
            if (_nodes.TryGetValue(above.Key, out var node))
            {
                return new(LdapTestResultCode.NoSuchObject, MatchedDn: node.Entry.Dn);
            }
        }

        return LdapTestResultCode.NoSuchObject;
    }
}
