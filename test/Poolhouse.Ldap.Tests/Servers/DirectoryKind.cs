namespace Poolhouse.Ldap.Tests.Servers;

public enum DirectoryKind
{
    /// <summary>The server of Poolhouse.Testing.</summary>
    InProcess,

    /// <summary>OpenLDAP's slapd.</summary>
    OpenLdap,
}
