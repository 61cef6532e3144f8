namespace Poolhouse.Ldap;

/// <summary>The native library behind System.DirectoryServices.Protocols, which a minimal system lacks.</summary>
internal static class Libldap
{
    /// <summary>Whether a failure comes from the missing library.</summary>
    public static bool IsMissing(Exception failure)
    {
        for (var cause = failure; cause is not null; cause = cause.InnerException)
        {
            if (cause is DllNotFoundException)
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Tells what to install.</summary>
    public static DllNotFoundException Missing(Exception failure) => new(
        "The LDAP library of the operating system is missing: System.DirectoryServices.Protocols needs libldap. Install libldap-2.5-0 (Debian 12), libldap2 (Debian 13, Ubuntu 24.04), openldap (Fedora, RHEL) or libldap (Alpine).",
        failure);
}
