namespace Poolhouse.Ldap.Internal.Native;

/// <summary>The settings of an open connection that take effect when they are changed, as libldap stores them.</summary>
/// <param name="ProtocolVersion">LDAP_OPT_PROTOCOL_VERSION.</param>
/// <param name="Referrals">LDAP_OPT_REFERRALS.</param>
/// <param name="HostName">LDAP_OPT_HOST_NAME with the zero at its end; null if none is set.</param>
internal sealed record NativeSettings(int ProtocolVersion, int Referrals, byte[]? HostName);
