using System.Diagnostics.CodeAnalysis;

namespace Poolhouse.Extensions;

/// <summary>
/// All pools that are registered in the container, in the order of their registration. Inject it for reports and endpoints.
/// </summary>
/// <remarks>A singleton. Enumerating it creates the pools that have not been created yet. Thread safe.</remarks>
[SuppressMessage("Naming", "CA1710", Justification = "A service with the pools of the app, not a collection to be filled.")]
public interface IPools : IReadOnlyCollection<PoolInfo>
{
}
