namespace Poolhouse.Ldap;

/// <summary>How an idle connection is validated.</summary>
public enum LdapValidation
{
    /// <summary>
    /// With "Who am I?" (RFC 4532): the answer must be the same as after the creation of the connection. If the server does not
    /// support the operation, its root entry is read instead. Costs one more round trip at creation.
    /// </summary>
    Identity,

    /// <summary>By reading the root entry (root DSE): shows that the server answers, but does not check the identity.</summary>
    RootDse,

    /// <summary>No validation: a connection closed by the server is discovered by the next user.</summary>
    None,
}
