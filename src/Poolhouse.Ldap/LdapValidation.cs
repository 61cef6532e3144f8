namespace Poolhouse.Ldap;

/// <summary>How an idle connection is asked whether it still works.</summary>
public enum LdapValidation
{
    /// <summary>
    /// By "Who am I?" (RFC 4532): the answer must be the one that the connection gave after its creation. Servers that do not
    /// know the operation are asked for their root entry instead. Costs one more round trip at creation.
    /// </summary>
    Identity,

    /// <summary>By reading the root entry (root DSE): shows that the server answers, not to whom.</summary>
    RootDse,

    /// <summary>Not asked: what was closed by the server is found by the next user.</summary>
    None,
}
