namespace Poolhouse.Tool.Ldap.InProcess;

internal enum LdapChange
{
    Add = 0,
    Delete = 1,
    Replace = 2,
}
