namespace Poolhouse.Tool.Fleet;

/// <summary>The sessions of one instance, or those outside of any budget.</summary>
/// <param name="Role">The role that they belong to.</param>
/// <param name="RoleLimit">The limit of the role; -1 if it has none.</param>
/// <param name="Budget">The budget; null for sessions outside of any.</param>
/// <param name="Member">The instance.</param>
/// <param name="Host">Where it runs.</param>
/// <param name="Held">The sessions of its pools.</param>
/// <param name="Wanted">What it wants; null if it has no session that says so.</param>
/// <param name="ServerLimit">What the server accepts from all roles together.</param>
internal sealed record FleetInstance(
    string Role, int RoleLimit, string? Budget, string? Member, string Host, int Held, int? Wanted, int ServerLimit)
{
    /// <summary>The name of the role with all that identifies it, where that is more; null otherwise.</summary>
    public string? Account { get; init; }

    public int Sessions => Held + (Wanted is null ? 0 : 1);
}
