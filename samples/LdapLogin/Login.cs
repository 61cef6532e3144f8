namespace Poolhouse.Samples.LdapLogin;

#pragma warning disable CA1515 // Read from a request's body.
public sealed record Login(string User, string Password);
#pragma warning restore CA1515
