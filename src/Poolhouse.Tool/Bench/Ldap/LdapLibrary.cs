using System.DirectoryServices.Protocols;

namespace Poolhouse.Tool.Bench.Ldap;

/// <summary>The native library that clients of LDAP need.</summary>
internal static class LdapLibrary
{
    /// <summary>Whether this machine has it.</summary>
    /// <param name="reason">What is missing, for messages.</param>
    public static bool TryFind(out string reason)
    {
        try
        {
            new LdapConnection(new LdapDirectoryIdentifier("localhost")).Dispose();
            reason = "";
            return true;
        }
        catch (Exception failure) when (failure is DllNotFoundException or TypeInitializationException)
        {
            reason = "the library libldap is missing; install libldap-2.5-0 (Debian 12), libldap2 (Debian 13, Ubuntu 24.04), "
                + "openldap (Fedora, RHEL) or libldap (Alpine)";
            return false;
        }
    }
}
