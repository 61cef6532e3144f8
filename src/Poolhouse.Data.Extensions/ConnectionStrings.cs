namespace Poolhouse.Data.Extensions;

/// <summary>The check of a connection string that an app takes from its configuration.</summary>
internal static class ConnectionStrings
{
    /// <exception cref="ArgumentNullException">It is null, as a missing one of the configuration is.</exception>
    public static string Require(string? connectionString) => connectionString ?? throw new ArgumentNullException(
        nameof(connectionString),
        "The connection string is null. If it comes from the configuration, check that ConnectionStrings contains its name.");
}
