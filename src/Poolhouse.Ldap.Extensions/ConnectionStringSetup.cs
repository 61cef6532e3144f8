using Microsoft.Extensions.Options;

namespace Poolhouse.Ldap.Extensions;

/// <summary>Sets the options of a pool that a connection string contains. It is parsed once.</summary>
internal sealed class ConnectionStringSetup(string name, Func<string> connectionString) : IConfigureNamedOptions<LdapPoolOptions>
{
    private readonly Lazy<string> _connectionString = new(connectionString);

    public void Configure(LdapPoolOptions options) => Configure(Options.DefaultName, options);

    public void Configure(string? optionsName, LdapPoolOptions options)
    {
        if (string.Equals(optionsName, name, StringComparison.Ordinal))
        {
            Copy(LdapPoolOptions.Parse(Require(_connectionString.Value)), options);
        }
    }

    internal static void Copy(LdapPoolOptions from, LdapPoolOptions to)
    {
        to.Servers.Clear();
        foreach (var server in from.Servers)
        {
            to.Servers.Add(server);
        }

        to.DnsDomain = from.DnsDomain;
        to.DnsRefreshInterval = from.DnsRefreshInterval;
        to.Port = from.Port;
        to.Security = from.Security;
        to.AuthType = from.AuthType;
        to.UserName = from.UserName;
        to.Password = from.Password;
        to.Credentials = from.Credentials;
        to.CredentialSpread = from.CredentialSpread;
        to.ProtocolVersion = from.ProtocolVersion;
        to.ServerNameIsFullyQualified = from.ServerNameIsFullyQualified;
        to.OperationTimeout = from.OperationTimeout;
        to.TrustedCertificatesDirectory = from.TrustedCertificatesDirectory;
        to.VerifyServerCertificate = from.VerifyServerCertificate;
        to.Configure = from.Configure;
        to.Validation = from.Validation;
        to.Retries = from.Retries;
        to.Pool = from.Pool;
        to.VerifyPool = from.VerifyPool;
        to.MaxBindsPerConnection = from.MaxBindsPerConnection;
        to.ServerSet = from.ServerSet;
        to.MaxThreads = from.MaxThreads;
        to.MaxStuckThreads = from.MaxStuckThreads;
    }

    private static string Require(string? connectionString) => connectionString ?? throw new ArgumentNullException(
        nameof(connectionString),
        "The connection string is null. If it comes from the configuration, check that ConnectionStrings contains its name.");
}
