using Poolhouse.Extensions;

namespace Poolhouse.Data.Extensions;

/// <summary>The settings of pools of database connections.</summary>
internal static class DataSettings
{
    public static SettingsMap<DbPoolOptions> Map { get; } = new SettingsMap<DbPoolOptions>()
        .ResourcePool(nameof(DbPoolOptions.Pool), o => o.Pool, (o, value) => o.Pool = value)
        .HiddenText(nameof(DbPoolOptions.ValidationQuery), o => o.ValidationQuery, (o, value) => o.ValidationQuery = value)
        .Duration(nameof(DbPoolOptions.FatalErrorSpread), o => o.FatalErrorSpread, (o, value) => o.FatalErrorSpread = value)
        .Duration(nameof(DbPoolOptions.CredentialSpread), o => o.CredentialSpread, (o, value) => o.CredentialSpread = value)
        .Choice(nameof(DbPoolOptions.RequiredRole), o => o.RequiredRole, (o, value) => o.RequiredRole = value)
        .Flag(nameof(DbPoolOptions.Enlist), o => o.Enlist, (o, value) => o.Enlist = value);

    /// <summary>
    /// An unnamed pool keeps the name that the conventions for database metrics specify: its server and database.
    /// </summary>
    public static void Complete(DbPoolOptions options, PoolContext context)
    {
        var name = options.Pool.Name;
        context.Complete(options.Pool);
        options.Pool.Name = name ?? (context.IsNamed ? context.Name : null);
    }

    public static void KeepCallbacks(DbPoolOptions options, DbPoolOptions current)
    {
        (options.Reset, options.Errors) = (current.Reset, current.Errors);
        (options.Credentials, options.Initialize) = (current.Credentials, current.Initialize);
        PoolContext.Keep(options.Pool, current.Pool);
    }
}
