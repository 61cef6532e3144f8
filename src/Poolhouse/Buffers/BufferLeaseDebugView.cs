using System.Diagnostics.CodeAnalysis;

namespace Poolhouse.Buffers;

/// <summary>
/// A lease of a buffer as a debugger shows it. Unlike the lease itself, it does not throw if the lease has ended.
/// </summary>
[SuppressMessage("Performance", "CA1812", Justification = "Created by debuggers.")]
internal sealed class BufferLeaseDebugView<T>(BufferLease<T> lease)
{
    public string? Pool => lease.Lease.PoolName;

    public bool IsActive => lease.IsActive;

    /// <summary>The elements; none if the lease has ended.</summary>
    public ArraySegment<T> Elements =>
        lease.Lease.Slot is { } slot && lease.IsActive ? new ArraySegment<T>(slot.Item, 0, lease.Length) : [];

    /// <summary>For how long, and where the buffer was rented; null if the pool does not know.</summary>
    public LeaseSnapshot? Lease => lease.Lease.Snapshot;
}
