namespace Poolhouse.Testing;

internal enum LdapScope
{
    Base = 0,
    OneLevel = 1,
    Subtree = 2,
}
