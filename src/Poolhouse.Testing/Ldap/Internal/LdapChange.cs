namespace Poolhouse.Testing;

internal enum LdapChange
{
    Add = 0,
    Delete = 1,
    Replace = 2,
}
