namespace Poolhouse.Tool.Bench.Ldap.InProcess.Protocol;

/// <summary>How an operation ended.</summary>
/// <param name="Code">The result code.</param>
/// <param name="Text">The diagnostic message.</param>
/// <param name="MatchedDn">The last entry that exists on the way to one that does not.</param>
internal readonly record struct LdapResult(LdapTestResultCode Code, string Text = "", string MatchedDn = "")
{
    public static LdapResult Success => default;

    public static implicit operator LdapResult(LdapTestResultCode code) => new(code);
}
