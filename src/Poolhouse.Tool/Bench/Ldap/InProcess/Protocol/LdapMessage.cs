namespace Poolhouse.Tool.Bench.Ldap.InProcess.Protocol;

/// <summary>A message of a client.</summary>
internal sealed record LdapMessage(int Id, LdapRequest Request, IReadOnlyList<LdapControl> Controls);
