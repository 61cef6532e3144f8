using System.DirectoryServices.Protocols;

namespace Poolhouse.Ldap.Internal;

/// <summary>Referrals to other servers, which a pool never follows.</summary>
// libldap opens the connection for a referral without TLS and without checking a certificate, whatever protects the
// connection that received the referral, and repeats the whole request there, passwords included.
internal static class LdapReferrals
{
    /// <summary>Rejects a connection that would follow referrals although it is encrypted.</summary>
    public static void ThrowIfFollowed(LdapSessionOptions options, LdapSecurity security)
    {
        if (security != LdapSecurity.None && options.ReferralChasing != ReferralChasingOptions.None)
        {
            throw new InvalidOperationException(
                "ReferralChasing is enabled for a connection with Security Ssl or StartTls: the LDAP library follows referrals " +
                "without TLS. Disable it, and use a separate pool for the other server.");
        }
    }

    /// <summary>Rejects a response that is only a referral: the operation was not executed.</summary>
    public static DirectoryResponse ThrowIfReferred(DirectoryResponse response)
    {
        if (response.ResultCode is ResultCode.Referral or ResultCode.ReferralV2)
        {
            throw new DirectoryOperationException(
                response,
                "The operation was not executed: the server returned a referral, and referrals are not followed. " +
                "Response.Referral names the other server; use a separate pool for it.");
        }

        return response;
    }
}
