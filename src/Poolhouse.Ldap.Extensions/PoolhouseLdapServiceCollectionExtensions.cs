using Microsoft.Extensions.Options;
using Poolhouse.Extensions;
using Poolhouse.Ldap;
using Poolhouse.Ldap.Extensions;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Extension methods that register pools of LDAP connections in a service collection.</summary>
public static class PoolhouseLdapServiceCollectionExtensions
{
    /// <summary>Registers an <see cref="LdapConnectionPool"/> whose settings come from code and configuration.</summary>
    /// <param name="services">The service collection.</param>
    /// <param name="name">The name, or null for the default pool.</param>
    /// <param name="configure">Sets options; null to set them later or in configuration.</param>
    /// <returns>A builder for further configuration.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="services"/> is null.</exception>
    /// <exception cref="ArgumentException">The name is blank or contains a colon.</exception>
    /// <exception cref="InvalidOperationException">There is a pool of that name.</exception>
    /// <remarks>
    /// The password is not a key of the configuration section, because changed settings are logged: set it in code, for instance
    /// with <see cref="LdapPoolOptions.Credentials"/>, or use a connection string. Callbacks are read once; later changes of the
    /// configuration keep them.
    /// </remarks>
    public static PoolBuilder<LdapPoolOptions> AddLdapPool(
        this IServiceCollection services, string? name = null, Action<LdapPoolOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(services);
        return PoolServices.Add(services, name, nameof(AddLdapPool), new LdapPoolKind(), configure);
    }

    /// <summary>
    /// Registers an <see cref="LdapConnectionPool"/> with a connection string. Options that it does not contain keep their
    /// values.
    /// </summary>
    /// <param name="services">The service collection.</param>
    /// <param name="connectionString">Gets the connection string, for instance from configuration; called once.</param>
    /// <param name="name">The name, or null for the default pool.</param>
    /// <param name="configure">Sets options that override the connection string; null for none.</param>
    /// <returns>A builder for further configuration; its configuration section overrides the connection string too.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="services"/> or <paramref name="connectionString"/> is
    /// null.</exception>
    /// <exception cref="ArgumentException">The name is blank or contains a colon.</exception>
    /// <exception cref="InvalidOperationException">There is a pool of that name.</exception>
    public static PoolBuilder<LdapPoolOptions> AddLdapPool(
        this IServiceCollection services,
        Func<IServiceProvider, string> connectionString,
        string? name = null,
        Action<LdapPoolOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentNullException.ThrowIfNull(connectionString);
        var builder = PoolServices.Add(services, name, nameof(AddLdapPool), new LdapPoolKind(), configure: null);
        services.AddSingleton<IConfigureOptions<LdapPoolOptions>>(
            provider => new ConnectionStringSetup(builder.Name, () => connectionString(provider)));
        return configure is null ? builder : builder.Configure(configure);
    }
}
