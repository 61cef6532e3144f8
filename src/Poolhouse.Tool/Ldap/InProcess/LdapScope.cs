namespace Poolhouse.Tool.Ldap.InProcess;

internal enum LdapScope
{
    Base = 0,
    OneLevel = 1,
    Subtree = 2,
}
