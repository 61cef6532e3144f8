namespace Poolhouse.Ldap.Tests.Servers;

public enum DirectoryKind
{
    /// <summary>The server in the process.</summary>
    InProcess,

    /// <summary>OpenLDAP's slapd.</summary>
    OpenLdap,
}
