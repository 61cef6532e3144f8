namespace Poolhouse.Data.Opening;

/// <summary>The hosts of a connection string.</summary>
/// <param name="Strings">A connection string for each host.</param>
/// <param name="Options">How one is selected.</param>
/// <param name="Role">Which role it must have.</param>
/// <param name="Profile">Determines the role.</param>
internal sealed record HostList(
    IReadOnlyList<string> Strings, ServerSetOptions Options, RequiredRole Role, DbProviderProfile Profile);
