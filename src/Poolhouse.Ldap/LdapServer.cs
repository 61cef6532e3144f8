namespace Poolhouse.Ldap;

/// <summary>One directory server.</summary>
/// <param name="Host">Its name or address.</param>
/// <param name="Port">Its port.</param>
public sealed record LdapServer(string Host, int Port);
