namespace Poolhouse.Tool.Bench.Ldap.InProcess.Protocol;

internal enum LdapChange
{
    Add = 0,
    Delete = 1,
    Replace = 2,
}
