using Poolhouse.Extensions;
using Poolhouse.Servers;

namespace Poolhouse.Ldap.Extensions;

/// <summary>
/// The settings of pools of LDAP connections. The password is not among them, because changed settings are logged.
/// </summary>
internal static class LdapSettings
{
    public static SettingsMap<LdapPoolOptions> Map { get; } = new SettingsMap<LdapPoolOptions>()
        .List(nameof(LdapPoolOptions.Servers), o => o.Servers)
        .Text(nameof(LdapPoolOptions.DnsDomain), o => o.DnsDomain, (o, value) => o.DnsDomain = value)
        .Duration(
            nameof(LdapPoolOptions.DnsRefreshInterval), o => o.DnsRefreshInterval, (o, value) => o.DnsRefreshInterval = value)
        .OptionalWholeNumber(nameof(LdapPoolOptions.Port), o => o.Port, (o, value) => o.Port = value)
        .Choice(nameof(LdapPoolOptions.Security), o => o.Security, (o, value) => o.Security = value)
        .OptionalChoice(nameof(LdapPoolOptions.AuthType), o => o.AuthType, (o, value) => o.AuthType = value)
        .Text(nameof(LdapPoolOptions.UserName), o => o.UserName, (o, value) => o.UserName = value)
        .Duration(nameof(LdapPoolOptions.CredentialSpread), o => o.CredentialSpread, (o, value) => o.CredentialSpread = value)
        .WholeNumber(nameof(LdapPoolOptions.ProtocolVersion), o => o.ProtocolVersion, (o, value) => o.ProtocolVersion = value)
        .Flag(
            nameof(LdapPoolOptions.ServerNameIsFullyQualified), o => o.ServerNameIsFullyQualified,
            (o, value) => o.ServerNameIsFullyQualified = value)
        .Duration(nameof(LdapPoolOptions.OperationTimeout), o => o.OperationTimeout, (o, value) => o.OperationTimeout = value)
        .Text(
            nameof(LdapPoolOptions.TrustedCertificatesDirectory),
            o => o.TrustedCertificatesDirectory,
            (o, value) => o.TrustedCertificatesDirectory = value)
        .Choice(nameof(LdapPoolOptions.Validation), o => o.Validation, (o, value) => o.Validation = value)
        .Choice(nameof(LdapPoolOptions.Retries), o => o.Retries, (o, value) => o.Retries = value)
        .ResourcePool(nameof(LdapPoolOptions.Pool), o => o.Pool, (o, value) => o.Pool = value)
        .ResourcePool(nameof(LdapPoolOptions.VerifyPool), o => o.VerifyPool, (o, value) => o.VerifyPool = value)
        .WholeNumber(
            nameof(LdapPoolOptions.MaxBindsPerConnection), o => o.MaxBindsPerConnection,
            (o, value) => o.MaxBindsPerConnection = value)
        .Section(
            nameof(LdapPoolOptions.ServerSet), ServerSet(), o => o.ServerSet,
            o => o.ServerSet = o.ServerSet?.Copy() ?? new ServerSetOptions())
        .OptionalWholeNumber(nameof(LdapPoolOptions.MaxThreads), o => o.MaxThreads, (o, value) => o.MaxThreads = value)
        .OptionalWholeNumber(
            nameof(LdapPoolOptions.MaxStuckThreads), o => o.MaxStuckThreads, (o, value) => o.MaxStuckThreads = value);

    private static SettingsMap<ServerSetOptions> ServerSet() => new SettingsMap<ServerSetOptions>()
        .Choice(nameof(ServerSetOptions.Selection), o => o.Selection, (o, value) => o.Selection = value)
        .Duration(nameof(ServerSetOptions.AttemptTimeout), o => o.AttemptTimeout, (o, value) => o.AttemptTimeout = value)
        .Duration(nameof(ServerSetOptions.RecheckDelay), o => o.RecheckDelay, (o, value) => o.RecheckDelay = value)
        .Duration(nameof(ServerSetOptions.MaxRecheckDelay), o => o.MaxRecheckDelay, (o, value) => o.MaxRecheckDelay = value)
        .Duration(nameof(ServerSetOptions.FailBackAge), o => o.FailBackAge, (o, value) => o.FailBackAge = value);
}
