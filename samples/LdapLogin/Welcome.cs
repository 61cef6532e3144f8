namespace Poolhouse.Samples.LdapLogin;

internal sealed record Welcome(string Name, IReadOnlyList<string> Groups);
