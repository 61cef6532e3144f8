namespace Poolhouse.Tool.Bench.Ldap.InProcess.Protocol;

internal enum LdapScope
{
    Base = 0,
    OneLevel = 1,
    Subtree = 2,
}
