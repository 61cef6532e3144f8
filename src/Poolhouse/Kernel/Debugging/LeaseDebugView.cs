using System.Diagnostics.CodeAnalysis;

namespace Poolhouse.Kernel.Debugging;

/// <summary>A lease as a debugger shows it. Unlike the lease itself, it does not throw if the lease has ended.</summary>
[SuppressMessage("Performance", "CA1812", Justification = "Created by debuggers.")]
internal sealed class LeaseDebugView<T>(Lease<T> lease)
{
    public string? Pool => lease.PoolName;

    public bool IsActive => lease.IsActive;

    /// <summary>The item, or <c>default</c> if the lease has ended.</summary>
    public T? Item => lease.Slot is { } slot && lease.IsActive ? slot.Item : default;

    /// <summary>For how long, and where the item was rented; null if the pool does not know.</summary>
    public LeaseSnapshot? Lease => lease.Snapshot;
}
