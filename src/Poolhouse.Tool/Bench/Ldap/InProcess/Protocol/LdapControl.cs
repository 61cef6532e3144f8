namespace Poolhouse.Tool.Bench.Ldap.InProcess.Protocol;

/// <summary>A control of a request.</summary>
internal sealed record LdapControl(string Oid, bool IsCritical, byte[] Value)
{
    /// <summary>Paged results (RFC 2696).</summary>
    public const string PagedResults = "1.2.840.113556.1.4.319";
}
