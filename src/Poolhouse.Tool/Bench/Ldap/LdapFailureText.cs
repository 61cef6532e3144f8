using System.DirectoryServices.Protocols;

namespace Poolhouse.Tool.Bench.Ldap;

/// <summary>What goes wrong for one caller, as opposed to the whole trial.</summary>
internal static class LdapFailureText
{
    public static bool Is(Exception exception) => exception
        is DirectoryException or TimeoutException or OperationCanceledException or NoServerAvailableException;
}
