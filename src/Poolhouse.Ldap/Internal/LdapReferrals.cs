using System.DirectoryServices.Protocols;

namespace Poolhouse.Ldap.Internal;

/// <summary>Referrals to other servers, which a pool never follows.</summary>
// libldap opens the connection that a referral asks for without TLS and without checking a certificate, whatever protects the
// connection that received the referral, and repeats the whole request there, passwords included.
internal static class LdapReferrals
{
    /// <summary>Rejects a connection that would follow referrals although it is encrypted.</summary>
    public static void ThrowIfFollowed(LdapSessionOptions options, LdapSecurity security)
    {
        if (security != LdapSecurity.None && options.ReferralChasing != ReferralChasingOptions.None)
        {
            throw new InvalidOperationException("ReferralChasing is on for a connection with Security Ssl or StartTls: the LDAP library follows referrals without TLS. Turn it off, and connect to the other server with a pool of its own.");
        }
    }

    /// <summary>Rejects a response that is only a referral: the operation was not carried out.</summary>
    public static DirectoryResponse ThrowIfReferred(DirectoryResponse response)
    {
        if (response.ResultCode is ResultCode.Referral or ResultCode.ReferralV2)
        {
            throw new DirectoryOperationException(response, "The operation was not carried out: the server refers to another one, and referrals are not followed. Response.Referral names the server; use a pool for that one.");
        }

        return response;
    }
}
