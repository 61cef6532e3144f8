using System.DirectoryServices.Protocols;
using Poolhouse.Servers;

namespace Poolhouse.Tool.Bench.Ldap;

/// <summary>The failures of one caller, as opposed to those of the whole trial.</summary>
internal static class LdapFailureText
{
    public static bool Is(Exception exception) => exception
        is DirectoryException or IPoolException or TimeoutException or OperationCanceledException or NoServerAvailableException;
}
