using Poolhouse.Extensions.Configuration;
using Poolhouse.Extensions.Registration;

namespace Poolhouse.Data.Extensions;

/// <summary>The settings of pools of database connections.</summary>
internal static class DataSettings
{
    public static SettingsMap<DbPoolOptions> Map { get; } = new SettingsMap<DbPoolOptions>()
        .Section(nameof(DbPoolOptions.Pool), CoreSettings.Resource, o => o.Pool, o => o.Pool ??= CoreSettings.Unset())
        .Text(nameof(DbPoolOptions.ValidationQuery), o => o.ValidationQuery, (o, value) => o.ValidationQuery = value)
        .Duration(nameof(DbPoolOptions.FatalErrorSpread), o => o.FatalErrorSpread, (o, value) => o.FatalErrorSpread = value)
        .Duration(nameof(DbPoolOptions.CredentialSpread), o => o.CredentialSpread, (o, value) => o.CredentialSpread = value)
        .Boolean(nameof(DbPoolOptions.Enlist), o => o.Enlist, (o, value) => o.Enlist = value);

    /// <summary>
    /// An unnamed pool keeps the name that the conventions for database metrics ask for: its server and database.
    /// </summary>
    public static void Complete(DbPoolOptions options, PoolContext context)
    {
        var name = options.Pool.Name;
        PoolSettings.Complete(options.Pool, context);
        options.Pool.Name = name ?? (context.IsNamed ? context.Name : null);
    }

    public static void Keep(DbPoolOptions options, DbPoolOptions current) =>
        (options.Reset, options.Errors, options.Credentials) = (current.Reset, current.Errors, current.Credentials);
}
