namespace Poolhouse.Ldap;

/// <summary>How connections to a directory are protected.</summary>
public enum LdapSecurity
{
    /// <summary>No protection: passwords can be read in transit. For loopback and tests.</summary>
    None,

    /// <summary>TLS from the first byte: <c>ldaps</c>, usually on port 636.</summary>
    Ssl,

    /// <summary>A plain connection that is upgraded to TLS before anything else is sent, only at creation.</summary>
    StartTls,
}
