using Microsoft.Extensions.Options;

namespace Poolhouse.Ldap.Extensions;

/// <summary>Sets the options of a pool that a connection string contains. The string is read once.</summary>
internal sealed class ConnectionStringSetup(string name, Func<string> connectionString) : IConfigureNamedOptions<LdapPoolOptions>
{
    private readonly Lazy<string> _connectionString = new(connectionString);

    public void Configure(LdapPoolOptions options) => Configure(Options.DefaultName, options);

    public void Configure(string? optionsName, LdapPoolOptions options)
    {
        if (string.Equals(optionsName, name, StringComparison.Ordinal))
        {
            options.Apply(Require(_connectionString.Value));
        }
    }

    private static string Require(string? connectionString) => connectionString ?? throw new ArgumentNullException(
        nameof(connectionString),
        "The connection string is null. If it comes from the configuration, check that ConnectionStrings contains its name.");
}
