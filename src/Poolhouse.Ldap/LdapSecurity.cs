namespace Poolhouse.Ldap;

/// <summary>How connections to a directory are protected.</summary>
public enum LdapSecurity
{
    /// <summary>Not at all: passwords are readable on the way. For loopback and tests.</summary>
    None,

    /// <summary>TLS from the first byte: <c>ldaps</c>, usually on port 636.</summary>
    Ssl,

    /// <summary>A plain connection that is changed to TLS before anything else is sent. Only ever at creation.</summary>
    StartTls,
}
