using System.DirectoryServices.Protocols;

namespace Poolhouse.Ldap.Internal;

/// <summary>The session options of an open connection that a user can change through the base class.</summary>
// On Linux and macOS only these take effect on an open connection.
internal readonly record struct SessionSettings(
    int ProtocolVersion, ReferralChasingOptions ReferralChasing, string HostName, bool AutoReconnect)
{
    /// <summary>Reads them; no round trip to the server.</summary>
    public static SessionSettings Of(LdapSessionOptions options) => new(
        options.ProtocolVersion, options.ReferralChasing, options.HostName, OperatingSystem.IsWindows() && options.AutoReconnect);
}
