using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;

namespace Poolhouse.Kernel.Debugging;

/// <summary>A pool as a debugger shows it. The other packages refer to it by name.</summary>
[SuppressMessage("Performance", "CA1812", Justification = "Created by debuggers.")]
internal sealed class PoolDebugView(IPool pool)
{
    private const int MostLeases = 100;

    public string Name => pool.Name;

    public PoolStatistics Statistics => pool.GetStatistics();

    /// <summary>The oldest leases first: the item, for how long, and where it was rented.</summary>
    [DebuggerBrowsable(DebuggerBrowsableState.Collapsed)]
    public LeaseSnapshot[] OldestLeases => [.. pool.GetLeases(MostLeases)];
}
